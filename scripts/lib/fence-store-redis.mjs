// A store in Redis: the list of accepted writes is the data.

import { Redis } from 'ioredis';
import { findRedis, startRedis } from './services.mjs';

const LOG = '{race}:log';

export const BREAK = {
  file: 'fence/redis-script.js',
  from: 'if not (token >= maxExclusive and token > maxShared) then',
  to: 'if false then',
};

export async function open({ dir }) {
  const program = findRedis();
  if (program === null) throw new Error('this race needs redis-server');
  const server = await startRedis(program, dir);
  const redis = new Redis(server.path);
  return {
    settings: { path: server.path },
    audit: async () => (await redis.lrange(LOG, 0, -1)).map((text) => JSON.parse(text)),
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}

export async function connect({ path }, { redisFence }) {
  const redis = new Redis(path);
  const fence = redisFence(redis, { key: (resource) => `holdfast:fence:{race}:${resource}` });
  const row = (resource, { token }, value) => JSON.stringify({ resource, token, value });
  return {
    guardedWrite: (...write) => fence.write(write[0], write[1], [['RPUSH', LOG, row(...write)]]),
    bareWrite: (...write) => redis.rpush(LOG, row(...write)),
    close: async () => redis.disconnect(),
  };
}
