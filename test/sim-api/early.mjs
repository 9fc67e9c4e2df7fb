// A module as users have them: it takes references while it loads, before any world begins.

import { readFile } from 'node:fs';
import { readFile as readFilePromise } from 'node:fs/promises';
import { connect } from 'node:net';

const { setTimeout: later, setImmediate: soon } = globalThis;
const { now } = Date;
const { random } = Math;
const clock = performance.now.bind(performance);
const read = readFile;
const readPromise = readFilePromise;
const dial = connect;

/** What programs do through them. */
export const PROGRAMS = {
  /** Takes no such reference: it works as its users' programs do. */
  work: async (world, own) => {
    const client = own.client({ ttlMs: 2_000 });
    for (let round = 1; round <= 20; round++) {
      await client.lock('a').do(async (grant) => {
        const { promise, resolve } = withResolvers();
        setTimeout(resolve, Math.random() * 100);
        await promise;
        await world.fencedStore('a').write({ token: grant.token, value: Date.now() });
      });
    }
    await client.close();
  },
  timer: async () => void (await new Promise((resolve) => later(resolve, 5))),
  immediate: async () => void (await new Promise((resolve) => soon(resolve))),
  file: async () => void read('package.json', () => {}),
  fileByPromise: async () => void (await readPromise('package.json')),
  socket: async () => void dial(1, '127.0.0.1').on('error', () => {}),
  date: async (world) => world.note(`now ${now()}`),
  chance: async (world) => world.note(`chance ${random()}`),
  clock: async (world) => world.note(`clock ${clock()}`),
};

function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}
