// A store in PostgreSQL: a table to which accepted writes are added, in the order of their numbers.
// A number is drawn while the row of the guard is locked, so writes of one resource have the order
// in which they were committed.

import pg from 'pg';
import { findPostgres, startPostgres } from './services.mjs';

export const BREAK = {
  file: 'fence/postgres-schema.js',
  from: 'ELSE p_token >= known.max_exclusive AND p_token > known.max_shared END',
  to: 'ELSE true END',
};

export async function open({ dir, fence }) {
  const program = findPostgres();
  if (program === null) throw new Error('this race needs PostgreSQL');
  const server = await startPostgres(program, dir);
  const client = new pg.Client(server.connection);
  await client.connect();
  await fence.postgresFence().setUp(client);
  await client.query(
    'CREATE TABLE log (at bigserial PRIMARY KEY, resource text, token bigint, value text)',
  );
  return {
    settings: server.connection,
    audit: async () => {
      const { rows } = await client.query('SELECT resource, token, value FROM log ORDER BY at');
      return rows.map((row) => ({ ...row, token: Number(row.token) }));
    },
    close: async () => {
      await client.end();
      await server.stop();
    },
  };
}

export async function connect(connection, { postgresFence }) {
  const client = new pg.Client(connection);
  await client.connect();
  const fence = postgresFence();
  const bareWrite = (resource, { token }, value) =>
    client.query('INSERT INTO log (resource, token, value) VALUES ($1, $2, $3)', [
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
