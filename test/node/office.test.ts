import { describe, expect, test } from 'vitest';
import { OfficeRig, STALL_US, TICK_US } from './office-rig.ts';

const TTL_MS = 10_000;
const TTL_US = TTL_MS * 1_000;

function isAlive(rig: OfficeRig, session: string): boolean {
  return rig.machine.session(session) !== null;
}

describe('a leader that lost its office', () => {
  test('A1 revokes nothing that it had appended or meant to, and renews nobody', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(TTL_MS);
    const answers: string[] = [];
    rig.pass(TTL_US - TICK_US);
    rig.keepAlive(session, answers);
    rig.depose();
    expect(answers).toEqual(['NOT_LEADER']);
    rig.keepAlive(session, answers);
    rig.pass(10 * TTL_US);
    expect([answers, rig.log]).toEqual([['NOT_LEADER', 'NOT_LEADER'], []]);
    expect(isAlive(rig, session)).toBe(true);
  });

  test('A2 leaves an expiry behind that does nothing in a later term, and the session lives on', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(1_000);
    rig.lead(2);
    const answers: string[] = [];
    expect(rig.run({ op: 'expireSession', session, proposerTerm: 1 }).code).toBe('DONE');
    rig.keepAlive(session, answers);
    rig.confirm();
    expect(answers).toEqual(['OK']);
    rig.pass(1_000_000 + TICK_US);
    rig.commit();
    expect(isAlive(rig, session)).toBe(false);
  });
});

describe('a loop that does not run on time', () => {
  test('M-75 M-85 counts a renewal from when it came, not from the tick before', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const [session, other] = [rig.open(TTL_MS), rig.open(TTL_MS)];
    rig.pass(100 * TICK_US);
    const answers: string[] = [];
    // Another renewal just before, whose time must not be taken for this one's.
    rig.clock.advance(TICK_US - 1);
    rig.keepAlive(other, []);
    rig.tick(1);
    rig.clock.advance(TICK_US - 1);
    rig.keepAlive(other, []);
    rig.keepAlive(session, answers);
    rig.confirm();
    rig.tick(1);
    rig.pass(TTL_US - TICK_US);
    expect([answers, rig.log]).toEqual([['OK'], []]);
    rig.pass(TICK_US);
    expect(rig.log).toHaveLength(2);
  });

  test('RAFT §14.1 ages no lease by more than E/2, and reads what came meanwhile before it decides', () => {
    for (const isRenewed of [true, false]) {
      const rig = new OfficeRig();
      rig.lead(1);
      const session = rig.open(1_000);
      rig.pass(1_000_000 - STALL_US + TICK_US);
      rig.clock.advance(20_000_000);
      rig.office.tick(rig.clock.nowUs);
      expect(rig.log).toEqual([]);
      // The sockets are read between the tick and the decision.
      if (isRenewed) rig.keepAlive(session, []);
      rig.clock.turn();
      expect(rig.log).toHaveLength(isRenewed ? 0 : 1);
    }
    const rig = new OfficeRig();
    rig.lead(1);
    rig.open(1_000);
    rig.pass(1_000_000 - STALL_US - TICK_US);
    rig.tick(20_000_000);
    expect(rig.log).toEqual([]);
  });

  test('M-76 that may append nothing after a stall tries again, and marks nobody', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(1_000);
    rig.internalBytesMax = 0;
    rig.pass(1_000_000 + TICK_US);
    const answers: string[] = [];
    rig.keepAlive(session, answers);
    rig.confirm();
    expect(answers).toEqual(['OK']);
    rig.internalBytesMax = 1_000;
    rig.pass(1_000_000 + TICK_US);
    expect(rig.log).toHaveLength(1);
  });
});

describe('a session without TTL', () => {
  test('M-83 has a lease until its first command, and none from then on', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const [used, unused] = [rig.open(null), rig.open(null)];
    rig.acquire(used, 1, 'job');
    rig.pass(15_000_000 + TICK_US);
    rig.commit();
    expect([isAlive(rig, used), isAlive(rig, unused)]).toEqual([true, false]);
    rig.pass(600_000_000);
    expect(rig.log).toEqual([]);
  });

  test('M-83 survives an expiry that was appended before its first command', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(null);
    rig.pass(15_000_000 + TICK_US);
    expect(rig.log).toHaveLength(1);
    rig.acquire(session, 1, 'job');
    const answers: string[] = [];
    rig.keepAlive(session, answers);
    rig.confirm();
    expect(answers).toEqual([]);
    rig.commit();
    rig.confirm();
    expect([answers, isAlive(rig, session)]).toEqual([['OK'], true]);
  });
});

describe('leases across changes of leader', () => {
  test('A3 a dead holder outlives every change, and the last one by a TTL and no more', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(TTL_MS);
    rig.acquire(session, 1, 'job');
    for (let term = 2; term <= 50; term++) {
      rig.pass(6_000_000);
      rig.depose();
      rig.lead(term);
    }
    rig.pass(TTL_US - TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job').holders).toHaveLength(1);
    rig.pass(2 * TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job').holders).toEqual([]);
  });

  test('A4 each leader counts by the same rule: the whole TTL from its first moment on', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(TTL_MS);
    for (let term = 2; term <= 12; term++) {
      rig.depose();
      rig.lead(term);
      expect(rig.office.leaseLeftUs(session)).toBe(TTL_US);
      rig.pass(700_000 * term);
      expect(rig.office.leaseLeftUs(session)).toBe(TTL_US - 700_000 * term);
    }
  });
});
