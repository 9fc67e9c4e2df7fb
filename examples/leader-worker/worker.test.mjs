// In any world, nobody touches the valve after the next leader did.

import { expect, test } from 'vitest';
import { explore } from 'holdfast/sim/property';
import { lead as mistaken } from './mistaken.mjs';
import { lead } from './worker.mjs';

const TTL_MS = 2_000;
const STEPS = ['open', 'fill', 'wait', 'drain', 'close'];

function scenario(leadWith) {
  return async (world) => {
    let newest = 0;
    const valve = {
      turn({ step, token }) {
        world.check(token >= newest, `${step} came from a leader of yesterday`);
        newest = token;
      },
    };
    const pause = (signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, 500);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    const begin = (name) =>
      world.run(name, (own) => {
        return leadWith({ client: own.client({ ttlMs: TTL_MS }), valve, steps: STEPS, pause });
      });
    await Promise.all([begin('north').done, begin('south').done]);
  };
}

const options = { runs: 60, faults: { ttlMs: TTL_MS }, report: false };

test('who ignores the signal turns the valve too late, and this finds it', async () => {
  const error = await explore(options, scenario(mistaken)).catch((e) => e);
  expect(error.message).toMatch(/^CHECK: \w+ came from a leader of yesterday/);
  expect(error.message).toMatch(/shrunk to [12] in/);
});

test('who looks before each step never does', async () => {
  const seen = await explore(options, scenario(lead));
  expect(seen).toMatchObject({ warnings: [] });
});
