// A store in MariaDB: a table to which accepted writes are added, in the order of their numbers. A
// number is drawn while the row of the guard is locked, so writes of one resource have the order in
// which they were committed.

import mysql from 'mysql2/promise';
import { findMariadb, startMariadb } from './services.mjs';

export const BREAK = {
  file: 'fence/mysql-schema.js',
  from: 'p_token >= exclusive_seen AND p_token > shared_seen',
  to: 'TRUE',
};

export async function open({ dir, fence }) {
  const program = findMariadb();
  if (program === null) throw new Error('this race needs MariaDB');
  const server = await startMariadb(program, dir);
  const client = await mysql.createConnection(server.connection);
  await client.query('CREATE DATABASE race');
  await client.query('USE race');
  await fence.mysqlFence().setUp(client);
  await client.query(
    `CREATE TABLE log (at BIGINT AUTO_INCREMENT PRIMARY KEY,
      resource TEXT, token BIGINT, value TEXT)`,
  );
  return {
    settings: { ...server.connection, database: 'race' },
    audit: async () =>
      (await client.query('SELECT resource, token, value FROM log ORDER BY at'))[0],
    close: async () => {
      await client.end();
      await server.stop();
    },
  };
}

export async function connect(connection, { mysqlFence }) {
  const client = await mysql.createConnection(connection);
  const fence = mysqlFence();
  const bareWrite = (resource, { token }, value) =>
    client.query('INSERT INTO log (resource, token, value) VALUES (?, ?, ?)', [
      resource,
      token,
      value,
    ]);
  return {
    bareWrite,
    guardedWrite: (...write) => fence.write(client, write[0], write[1], () => bareWrite(...write)),
    close: () => client.end(),
  };
}
