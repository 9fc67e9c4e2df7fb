// A store in the memory of one process, which workers reach over HTTP.

import { serveWrites, writesOver } from './fence-http.mjs';

export const BREAK = {
  file: 'fence/rule.js',
  from: 'token >= maxExclusive && token > maxShared',
  to: 'true',
};

export async function open({ fence }) {
  const guard = fence.memoryFence();
  const log = [];
  const push = (resource, { token }, value) => void log.push({ resource, token, value });
  const server = await serveWrites({
    guarded: async (...write) => guard.write(write[0], write[1], () => push(...write)),
    bare: async (...write) => push(...write),
  });
  return { settings: { url: server.url }, audit: async () => log, close: server.close };
}

export const connect = async ({ url }) => writesOver(url);
