// G1: very many sessions that fall silent at once must not cost those that live.

import { expect, test } from 'vitest';
import { OfficeRig, TICK_US } from './office-rig.ts';

const TTL_MS = 6_000;
const TTL_US = TTL_MS * 1_000;
const SILENT = 100_000;
/** From the proposal of an entry to its application, and from a renewal to its confirmation. */
const ROUND_US = 2_000;

test('G1 100,000 sessions expire at once, and the renewals of a live one are confirmed in time', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const live = rig.open(TTL_MS);
  for (let at = 0; at < SILENT; at++) rig.open(TTL_MS);
  const answers: string[] = [];
  let slowestUs = 0;
  let nextRenewalUs = 0;
  let ticks = 0;
  while (rig.machine.sessionCount() > 1) {
    rig.tick(TICK_US);
    ticks += 1;
    if (rig.clock.nowUs >= nextRenewalUs) {
      const sentUs = rig.clock.nowUs;
      nextRenewalUs = sentUs + TTL_US / 3;
      rig.keepAlive(live, answers);
      rig.clock.advance(ROUND_US);
      rig.confirm();
      slowestUs = Math.max(slowestUs, rig.clock.nowUs - sentUs);
    }
    // What one round of the quorum brings is applied.
    rig.clock.advance(ROUND_US);
    rig.commit();
  }
  expect(rig.machine.session(live)).not.toBe(null);
  expect(new Set(answers)).toEqual(new Set(['OK']));
  expect(slowestUs).toBeLessThan(TTL_US / 3);
  // Bounded batches: no tick stops the loop, and the last goes soon after the first.
  expect(rig.largestBatch).toBeLessThanOrEqual(512);
  const overdueTicks = ticks - TTL_US / (TICK_US + ROUND_US);
  expect(overdueTicks).toBeLessThan(SILENT / rig.largestBatch + 5);
}, 120_000);

test('G1 what is not admitted is tried again, and nobody is marked for it meanwhile', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const sessions = Array.from({ length: 5_000 }, () => rig.open(1_000));
  rig.internalBytesMax = 10_000;
  rig.pass(1_000_000 + TICK_US);
  const admitted = rig.log.length;
  expect(admitted).toBeGreaterThan(0);
  expect(admitted).toBeLessThan(1_000);
  const late = sessions.at(-1) ?? '';
  const answers: string[] = [];
  rig.keepAlive(late, answers);
  rig.confirm();
  expect(answers).toEqual(['OK']);
  for (let round = 0; round < 30; round++) {
    rig.commit();
    rig.tick(TICK_US);
  }
  rig.commit();
  expect(rig.machine.sessions(0, 10).map(({ session }) => session)).toEqual([late]);
});
