import { describe, expect, test } from 'vitest';
import { OfficeRig, TICK_US } from './office-rig.ts';

const TTL_MS = 10_000;

describe('a lock-delay', () => {
  const DELAY_MS = 3_000;

  function expired() {
    const rig = new OfficeRig();
    rig.lead(1);
    const holder = rig.open(1_000, DELAY_MS);
    rig.acquire(holder, 1, 'job');
    const next = rig.open(null);
    rig.acquire(next, 1, 'job');
    const heard = rig.watch();
    rig.pass(1_000_000 + TICK_US);
    rig.commit();
    return { rig, heard, holder, next };
  }

  test('C15 keeps the lock of an expired session closed for as long as it says, and then lifts', () => {
    const { rig, heard } = expired();
    expect(heard).toEqual(['expired job', 'delayed job']);
    rig.pass(DELAY_MS * 1_000 - TICK_US);
    expect(rig.log).toEqual([]);
    rig.pass(2 * TICK_US);
    rig.commit();
    expect(heard.slice(2)).toEqual(['lifted job over', 'granted job']);
  });

  test('C15 does not follow a clean close: watchers and the next waiter hear at once', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const holder = rig.open(TTL_MS, DELAY_MS);
    rig.acquire(holder, 1, 'job');
    rig.acquire(rig.open(null), 1, 'job');
    const heard = rig.watch({ name: 'job', prefix: '' });
    rig.run({ op: 'closeSession', session: holder, seq: 2 });
    expect(heard).toEqual(['released job closed', 'granted job']);
  });

  test('M-76 that is not admitted is lifted later, and once', () => {
    const { rig, heard } = expired();
    rig.internalBytesMax = 0;
    rig.pass(DELAY_MS * 1_000 + TICK_US);
    expect(rig.log).toEqual([]);
    rig.internalBytesMax = 1_000;
    rig.pass(DELAY_MS * 1_000);
    expect(rig.log).toHaveLength(1);
    rig.commit();
    rig.pass(10_000_000);
    expect(rig.log).toEqual([]);
    expect(heard.at(-1)).toBe('granted job');
  });

  test('starts again under a new leader, which lifts it though the old one had tried', () => {
    const { rig } = expired();
    rig.pass(DELAY_MS * 1_000 + TICK_US);
    expect(rig.log).toHaveLength(1);
    rig.depose();
    rig.lead(2);
    rig.pass(DELAY_MS * 1_000 - TICK_US);
    expect(rig.log).toEqual([]);
    rig.pass(2 * TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job')).toMatchObject({ ghosts: [], holders: [{}] });
  });

  test('of two grants of one name is lifted for both, though one of them is broken before', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const session = rig.open(1_000, DELAY_MS);
    const tokens = [1, 2].map((seq) => {
      const items = [{ name: 'job', mode: 'shared', permits: null }] as const;
      const about = { op: 'acquire', session, seq, items, waitMs: null } as const;
      const outcome = rig.run({ ...about, meta: '', value: null });
      return outcome.code === 'GRANTED' ? outcome.token : 0;
    });
    rig.pass(1_000_000 + TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job').ghosts).toHaveLength(2);
    const token = tokens[0] ?? 0;
    rig.run({ op: 'break', name: 'job', token, session: null, by: 'ops', reason: 'known' });
    expect(rig.machine.inspect('job').ghosts).toHaveLength(1);
    rig.pass(DELAY_MS * 1_000 + TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job').ghosts).toEqual([]);
  });
});

test('nothing comes due at a leader that has not applied its no-op yet', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const [holder, waiter] = [rig.open(1_000, 3_000), rig.open(null)];
  rig.acquire(holder, 1, 'job');
  rig.acquire(waiter, 1, 'job', 5_000);
  rig.pass(1_000_000 + TICK_US);
  rig.commit();
  rig.depose();
  rig.office.begin(2);
  rig.pass(60_000_000);
  expect(rig.log).toEqual([]);
  rig.lead(2);
  const { closedAt } = rig.machine.inspect('job').ghosts[0] ?? { closedAt: 0 };
  const ghost = { name: 'job', session: holder, acquireSeq: 1, closedAt };
  expect(rig.office.delayLeftUs(ghost)).toBe(3e6);
});

test('no entry is made for a wait or a lock-delay that is over already', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const [holder, waiter] = [rig.open(1_000, 3_000), rig.open(null)];
  rig.acquire(holder, 1, 'job');
  rig.acquire(waiter, 1, 'job', 5_000);
  rig.run({ op: 'cancel', session: waiter, seq: 2, acquireSeq: 1 });
  rig.pass(1_000_000 + TICK_US);
  rig.commit();
  const token = rig.machine.inspect('job').ghosts[0]?.token ?? 0;
  rig.run({ op: 'break', name: 'job', token, session: null, by: 'ops', reason: 'known' });
  rig.pass(60_000_000);
  expect(rig.log).toEqual([]);
});

describe('the end of a wait', () => {
  test('C9 is tried again by a new leader when the old one lost what it had appended', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const [holder, waiter] = [rig.open(null), rig.open(null)];
    rig.acquire(holder, 1, 'job');
    rig.acquire(waiter, 1, 'job', 500);
    rig.pass(500_000 + TICK_US);
    expect(rig.log).toHaveLength(1);
    rig.depose();
    rig.lead(2);
    rig.pass(500_000 - TICK_US);
    expect(rig.log).toEqual([]);
    rig.pass(2 * TICK_US);
    rig.commit();
    expect(rig.machine.inspect('job').waiters).toEqual([]);
  });

  test('M-72 takes the waiter out and never a grant', () => {
    const rig = new OfficeRig();
    rig.lead(1);
    const [holder, waiter] = [rig.open(null), rig.open(null)];
    rig.acquire(holder, 1, 'job');
    rig.acquire(waiter, 1, 'job', 500);
    const heard = rig.watch();
    rig.pass(500_000 + TICK_US);
    expect(rig.log).toHaveLength(1);
    // The lock comes free while the withdrawal is on its way.
    rig.run({ op: 'closeSession', session: holder, seq: 2 });
    rig.commit();
    expect(heard).toEqual(['released job closed', 'granted job']);
    expect(rig.machine.inspect('job').holders).toHaveLength(1);
  });
});
