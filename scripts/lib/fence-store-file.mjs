// A store in files that all workers write themselves: the accepted writes are its content.

import * as fs from 'node:fs/promises';

export { BREAK } from './fence-store-memory.mjs';

const line = (resource, { token }, value) => `${JSON.stringify({ resource, token, value })}\n`;

export async function open({ dir, fence }) {
  const guard = fence.fileFence(fs, dir);
  const bare = `${dir}/bare.log`;
  await fs.writeFile(bare, '');
  const contentOf = async (folder) => {
    const content = await guard.read(decodeURIComponent(folder));
    return content === null ? '' : Buffer.from(content).toString();
  };
  return {
    settings: { dir, bare },
    audit: async () => {
      const folders = (await fs.readdir(dir)).filter((name) => name.startsWith('race%'));
      const texts = await Promise.all(folders.map(contentOf));
      const lines = [...texts, await fs.readFile(bare, 'utf8')].join('').split('\n');
      return lines.filter((text) => text !== '').map((text) => JSON.parse(text));
    },
    close: async () => undefined,
  };
}

export async function connect({ dir, bare }, { fileFence }) {
  const guard = fileFence(fs, dir);
  return {
    guardedWrite: (resource, claim, value) =>
      guard.write(resource, claim, (current) =>
        Buffer.concat([current ?? Buffer.alloc(0), Buffer.from(line(resource, claim, value))]),
      ),
    bareWrite: (...write) => fs.appendFile(bare, line(...write)),
    close: async () => undefined,
  };
}
