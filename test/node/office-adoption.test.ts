// What a leader times of a machine that it did not see grow: one that was loaded, or restored.

import { describe, expect, test } from 'vitest';
import { decodePayload } from '../../src/wire/command.ts';
import { OfficeRig, TICK_US } from './office-rig.ts';

const SECOND_US = 1_000_000;
const EMBARGO_MS = 10_000;
/** A machine in which nothing is. */
const EMPTY = { living: () => [], embargo: () => null };

/** What was appended and is not applied. */
function appended(rig: OfficeRig): readonly unknown[] {
  return rig.log.map(({ payload }) => decodePayload(payload));
}

describe('a loaded machine', () => {
  test('R-62 is timed from its adoption on: sessions, waits and lock-delays', () => {
    const rig = new OfficeRig();
    const [gone, silent] = [rig.open(1_000, 3_000), rig.open(5_000)];
    const kept = rig.open(null);
    rig.lead(1);
    rig.acquire(gone, 1, 'a');
    rig.acquire(kept, 1, 'a', 8_000);
    rig.pass(SECOND_US + TICK_US);
    rig.commit();
    rig.depose();
    rig.office.adopt(rig.machine);
    rig.lead(2);
    rig.pass(3 * SECOND_US - TICK_US);
    expect(appended(rig)).toEqual([]);
    rig.pass(TICK_US);
    expect(appended(rig)).toMatchObject([{ op: 'liftDelay', name: 'a', proposerTerm: 2 }]);
    rig.log = [];
    rig.pass(2 * SECOND_US);
    expect(appended(rig)).toMatchObject([{ op: 'expireSession', session: silent }]);
    rig.log = [];
    rig.pass(3 * SECOND_US);
    expect(appended(rig)).toMatchObject([{ op: 'withdraw', session: kept, acquireSeq: 1 }]);
  });

  test('is taken in part by part: no turn of the loop takes in all', () => {
    const rig = new OfficeRig();
    const sessions = Array.from({ length: 2_500 }, () => rig.open(60_000));
    rig.office.adopt(rig.machine);
    const known = () => sessions.filter((id) => rig.office.leaseLeftUs(id) !== null).length;
    expect(known()).toBe(2_000);
    rig.clock.turn();
    expect(known()).toBe(2_500);
  });

  test('is taken in part by part also where nothing in it has a deadline', () => {
    const rig = new OfficeRig();
    let looks = 0;
    function* living(): Iterable<null> {
      for (; looks < 9_000; looks++) yield null;
    }
    rig.office.adopt({ living, embargo: () => null });
    expect(looks).toBe(1_999);
    rig.clock.turn();
    expect(looks).toBe(9_000);
  });

  test('M-38 forgets what ran for the machine before', () => {
    const rig = new OfficeRig();
    const [session, kept] = [rig.open(1_000), rig.open(null)];
    rig.acquire(session, 1, 'a');
    rig.acquire(kept, 1, 'a', 2_000);
    rig.office.adopt(EMPTY);
    expect(rig.office.leaseLeftUs(session)).toBeNull();
    rig.lead(1);
    rig.pass(5 * SECOND_US);
    expect(appended(rig)).toEqual([]);
  });

  test('M-38 takes nothing more in of one that another one replaced meanwhile', () => {
    const rig = new OfficeRig();
    const sessions = Array.from({ length: 2_500 }, () => rig.open(60_000));
    rig.office.adopt(rig.machine);
    rig.office.adopt(EMPTY);
    rig.clock.turn();
    expect(sessions.filter((id) => rig.office.leaseLeftUs(id) !== null)).toEqual([]);
  });
});

describe('an embargo', () => {
  test('ends when its time is over at the leader, and lets in who waits', () => {
    const rig = restored();
    const client = rig.open(60_000);
    rig.acquire(client, 1, 'a');
    rig.lead(1);
    rig.pass(EMBARGO_MS * 1_000 - TICK_US);
    expect(appended(rig)).toEqual([]);
    rig.pass(TICK_US);
    const lift = { op: 'liftEmbargo', proposerTerm: 1, afterName: null };
    expect(appended(rig)).toEqual([lift]);
    rig.pass(SECOND_US);
    expect(appended(rig)).toEqual([lift]);
    rig.commit();
    expect(rig.machine.embargo()).toBeNull();
    expect(rig.machine.inspect('a').holders).toHaveLength(1);
    rig.pass(SECOND_US);
    expect(appended(rig)).toEqual([]);
  });

  test('is counted by each leader from its own beginning', () => {
    const rig = restored();
    rig.lead(1);
    rig.pass(EMBARGO_MS * 1_000 - TICK_US);
    rig.depose();
    rig.lead(2);
    rig.pass(EMBARGO_MS * 1_000 - TICK_US);
    expect(appended(rig)).toEqual([]);
    rig.pass(TICK_US);
    expect(appended(rig)).toMatchObject([{ op: 'liftEmbargo', proposerTerm: 2 }]);
    rig.depose();
    rig.lead(3);
    rig.pass(EMBARGO_MS * 1_000);
    expect(appended(rig)).toMatchObject([{ op: 'liftEmbargo', proposerTerm: 3 }]);
  });

  test('that was lifted in part is lifted on at once, by another leader too', () => {
    const rig = restored();
    const holder = { embargo: () => ({ embargoMs: EMBARGO_MS, cursor: 'k' }), living: () => [] };
    rig.office.adopt(holder);
    rig.lead(4);
    rig.pass(TICK_US);
    expect(appended(rig)).toEqual([{ op: 'liftEmbargo', proposerTerm: 4, afterName: 'k' }]);
  });

  test('is proposed again when the leader had no room for the entry', () => {
    const rig = restored();
    rig.lead(1);
    rig.internalBytesMax = 0;
    rig.pass(EMBARGO_MS * 1_000 + SECOND_US);
    expect(appended(rig)).toEqual([]);
    rig.internalBytesMax = 1_000;
    rig.pass(TICK_US);
    expect(appended(rig)).toHaveLength(1);
  });
});

function restored(): OfficeRig {
  const rig = new OfficeRig();
  rig.machine.becomeRestored(1, EMBARGO_MS);
  rig.office.adopt(rig.machine);
  return rig;
}
