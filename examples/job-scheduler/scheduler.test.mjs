// In any world, each report is written once, and the ledger never goes back.

import { expect, test } from 'vitest';
import { explore } from 'holdfast/sim/property';
import { schedule as mistaken } from './mistaken.mjs';
import { schedule } from './scheduler.mjs';

const TTL_MS = 2_000;
const TICKS = 4;
let refused = 0;

/** Runs two schedulers of a kind, and checks what the ledger took. */
function scenario(scheduleOf, ledgerOf) {
  return async (world) => {
    const { ledger, taken } = ledgerOf(world);
    const run = async (tick) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return `report ${tick}`;
    };
    const begin = (name) =>
      world.run(name, (own) => {
        return scheduleOf({ client: own.client({ ttlMs: TTL_MS }), ledger, run, ticks: TICKS });
      });
    await Promise.all([begin('monday').done, begin('tuesday').done]);
    const ticks = taken();
    const wrong = ticks.findIndex((tick, at) => tick !== at + 1);
    world.check(wrong === -1, `report ${ticks[wrong]} was written after ${ticks[wrong - 1] ?? 0}`);
  };
}

// Both ledgers are as far away, so that only the fence is what they differ in.
const later = () => new Promise((resolve) => setTimeout(resolve, 60));

/** Takes everything. */
function ledgerThatTrusts() {
  const values = [];
  const ledger = {
    read: () => later().then(() => values.at(-1) ?? null),
    write: (value) => later().then(() => void values.push(value)),
  };
  return { ledger, taken: () => values.map(({ tick }) => tick) };
}

/** Refuses a token that is smaller than one it has seen. */
function ledgerWithFence(world) {
  const store = world.fencedStore('ledger');
  const ledger = {
    read: () => later().then(() => store.read()),
    write: (write) => later().then(() => store.write(write)),
  };
  const taken = () => {
    refused += store.history.filter(({ isWritten }) => !isWritten).length;
    return store.history.filter(({ isWritten }) => isWritten).map(({ value }) => value.tick);
  };
  return { ledger, taken };
}

const options = { runs: 60, faults: { ttlMs: TTL_MS }, report: false };

test('without a fence a report is written twice, and this finds it', async () => {
  const error = await explore(options, scenario(mistaken, ledgerThatTrusts)).catch((e) => e);
  expect(error.message).toMatch(/^CHECK: report \d was written after \d/);
  expect(error.message).toMatch(/shrunk to [12] in/);
});

test('with one it never is', async () => {
  refused = 0;
  const seen = await explore(options, scenario(schedule, ledgerWithFence));
  expect(seen).toMatchObject({ warnings: [] });
  expect(refused).toBeGreaterThan(0);
});
