// A store in a Level database of the main process, which workers reach over HTTP.

import { Level } from 'level';
import { serveWrites, writesOver } from './fence-http.mjs';

export { BREAK } from './fence-store-memory.mjs';

export async function open({ dir, fence }) {
  const db = new Level(`${dir}/level`, { valueEncoding: 'json' });
  const guard = fence.levelFence(db, { prefix: 'fence:' });
  let asked = 0;
  const put = (resource, { token }, value) => {
    // Requests of one resource are answered in their turns, which are those of this counter.
    asked += 1;
    const key = `log:${String(asked).padStart(9, '0')}`;
    return { type: 'put', key, value: { resource, token, value } };
  };
  const server = await serveWrites({
    guarded: (...write) => guard.write(write[0], write[1], [put(...write)]),
    bare: (...write) => db.batch([put(...write)], { sync: true }),
  });
  return {
    settings: { url: server.url },
    audit: async () => {
      const rows = [];
      for await (const row of db.values({ gt: 'log:', lt: 'log;' })) rows.push(row);
      return rows;
    },
    close: async () => {
      await server.close();
      await db.close();
    },
  };
}

export const connect = async ({ url }) => writesOver(url);
