import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { HolderView, LockView, WaiterView } from '../../src/locks/outcomes.ts';
import { strandedIn } from '../../sim/oracle/liveness-acts.ts';
import { beginRun, opOf, scriptOf } from './workload-run.ts';
import type { Away, Run } from './workload-run.ts';

const SOME = [
  opOf({ id: 1, atMs: 1_000, holdMs: 60_000 }),
  opOf({ id: 2, atMs: 1_100, client: 1, holdMs: 60_000 }),
];

async function begin(ops = SOME): Promise<Run & { readonly leader: string }> {
  const run = await beginRun(scriptOf({ ops }));
  await run.until(1_500);
  return { ...run, leader: run.cluster.leader() ?? '' };
}

/** What is said of it, after its first line. */
async function findingOf(run: Run, away: Away = {}): Promise<string> {
  await run.checkLiveness(away);
  const { oracle = 'nothing', message = '' } = run.verdict.violation ?? {};
  return `${oracle}: ${message}`;
}

function meetDamage({ cluster }: Run, id: NodeId): void {
  const failure = { kind: 'io', message: 'EIO' } as const;
  cluster.node(id).disk.fail({ operation: 'batch', failure });
  cluster.send(id, {
    ...{ op: 'break', name: 'k1', session: null, token: 1 },
    ...{ by: 'a test', reason: 'a write' },
  });
}

describe('liveness', () => {
  test('LIV-1 LIV-6 holders give back, waiters are served, and it is soon over', async () => {
    const run = await begin();
    const startUs = run.cluster.world.nowUs;
    expect(await findingOf(run)).toBe('nothing: ');
    expect([run.workload.grants, run.workload.isIdle]).toEqual([2, true]);
    expect(run.cluster.world.nowUs - startUs).toBeLessThan(4_000_000);
  });

  test('LIV-1 a network that stays down: every node is named', async () => {
    const run = await begin();
    for (const id of run.cluster.ids) run.cluster.world.isolate(id);
    const finding = await findingOf(run);
    expect(finding).toContain('LIV-1: the leader did not stay, nor another');
    for (const id of run.cluster.ids) expect(finding).toMatch(new RegExp(`${id}: .*Candidate`));
  });

  test('LIV-1 a cluster without a leader from the start', async () => {
    const run = await beginRun(scriptOf({}));
    for (const id of run.cluster.ids) run.cluster.world.isolate(id);
    expect(await findingOf(run)).toContain('LIV-1: nobody leads 20 election timeouts after');
  });

  test('LIV-3 a cluster that a new client cannot use', async () => {
    const run = await begin([]);
    for (const id of run.cluster.ids) run.cluster.world.cut(id, 'probe');
    expect(await findingOf(run)).toContain('LIV-3: a new client was not given a free lock');
  });

  test('LIV-6 a call that never settles is named', async () => {
    const run = await begin();
    run.workload.clients[1]?.handle.pause();
    expect(await findingOf(run)).toContain('LIV-6: c2: acquire k1 is never answered');
  });

  test('LIV-6 a client that nobody answers gives up in time, and that is well', async () => {
    const run = await begin();
    run.cluster.world.isolate('c2');
    expect(await findingOf(run)).toBe('nothing: ');
  });

  test('LIV-5 a session that is left, and the lock that it holds', async () => {
    const run = await begin([]);
    const session = await run.cluster.openSession(run.leader, 600_000);
    await run.cluster.answers(session.acquire(run.leader, 'k1'));
    expect(await findingOf(run)).toContain('LIV-5: sessions of the dead are left');
  });

  test('LIV-5 sessions without end are ended by an operator, for else they stay', async () => {
    const { knobs } = scriptOf({});
    const run = await beginRun(scriptOf({ ops: SOME, knobs: { ...knobs, ttlMs: 0 } }));
    await run.until(1_500);
    run.workload.clients[0]?.handle.crash();
    expect(await findingOf(run)).toBe('nothing: ');
  });

  test('LIV-4 a node that does not catch up, unless it is condemned', async () => {
    const run = await begin();
    const [behind = ''] = run.cluster.others(run.leader);
    run.cluster.world.isolate(behind);
    expect(await findingOf(run)).toContain('LIV-4: the logs differ');
    const excused = await begin();
    excused.cluster.node(behind).crash();
    expect(await findingOf(excused, { condemned: [behind] })).toBe('nothing: ');
  });

  test('LIV-2 a leader that goes without a reason', async () => {
    const run = await begin([]);
    const { world } = run.cluster;
    world.at(world.nowUs + 400_000, () => run.cluster.node(run.leader).crash());
    const finding = await findingOf(run);
    expect(finding).toContain('LIV-2: the leader changed without a reason');
    expect(finding).toContain(`before: n1 t1 ${run.leader}`);
  });

  test('LIV-2 a leader that meets the damage of its disk is a reason, but only for one change', async () => {
    for (const isNextWell of [true, false]) {
      const run = await begin([]);
      const { cluster, leader } = run;
      const { world } = cluster;
      world.at(world.nowUs + 400_000, () => meetDamage(run, leader));
      const follow = (): void => {
        const next = cluster.leader();
        if (next === null || next === leader) world.after(100_000, follow);
        else world.after(200_000, () => cluster.node(next).crash());
      };
      if (!isNextWell) follow();
      const finding = await findingOf(run, { condemned: [leader] });
      expect(cluster.node(leader).exit?.exitCode).toBe(85);
      expect(finding).toContain(isNextWell ? 'nothing: ' : 'LIV-2: the leader changed');
    }
  });

  test('LIV-1 LIV-6 the others do without one that stays away, even if it led', async () => {
    for (const how of ['crash', 'pause', 'isolate'] as const) {
      const run = await begin();
      const { world } = run.cluster;
      if (how === 'isolate') world.isolate(run.leader);
      else run.cluster.node(run.leader)[how]();
      expect(await findingOf(run, { leftOut: [run.leader] }), how).toBe('nothing: ');
      expect(run.cluster.leader()).not.toBe(run.leader);
      expect(run.workload.isIdle).toBe(true);
    }
  });

  test('LIV-1 who stays away is named when the others do not manage', async () => {
    const run = await begin();
    for (const id of run.cluster.ids) run.cluster.world.isolate(id);
    const finding = await findingOf(run, { leftOut: [run.leader] });
    expect(finding).toContain('LIV-1: nobody leads');
    expect(finding).toContain(`left out: ${run.leader}`);
  });

  test('nothing is demanded without a majority', async () => {
    const run = await begin();
    const [one = '', other = ''] = run.cluster.ids;
    for (const id of [one, other]) run.cluster.node(id).crash();
    expect(await findingOf(run, { condemned: [one, other] })).toBe('nothing: ');
  });
});

describe('LIV-6 who waits for what is free', () => {
  const waiter = (index: number) =>
    ({
      session: `s${index}`,
      acquireSeq: 1,
      mode: 'exclusive',
      permits: null,
      index,
      sessionName: `c${index}`,
      sinceMs: 0,
    }) as const;
  const holder = {
    token: 1,
    session: 's0',
    acquireSeq: 1,
    mode: 'exclusive',
    permits: null,
    slots: [],
    sessionName: 'c0',
    sessionMeta: '{}',
    meta: '{}',
    value: null,
    sinceMs: 0,
  } as const;
  const lock = (name: string, isHeld: boolean, ...indexes: readonly number[]): LockView => ({
    name,
    holders: isHeld ? [holder] : [],
    ghosts: [],
    waiters: indexes.map(waiter),
    holderCount: isHeld ? 1 : 0,
    waiterCount: indexes.length,
  });

  test('M-71 the head of the queue of a free lock', () => {
    expect(strandedIn([lock('k1', false, 4, 5)])).toBe('c4 waits for k1, which it could have');
    expect(strandedIn([lock('k1', true, 4, 5)])).toBe(null);
  });

  test('in all forms: a reader beside readers, permits that are left, nothing behind a ghost', () => {
    const held = (item: Partial<HolderView>, wanted: Partial<WaiterView>): LockView => ({
      ...lock('k1', true),
      holders: [{ ...holder, ...item }],
      waiters: [{ ...waiter(4), ...wanted }],
    });
    const shared = { mode: 'shared' } as const;
    const permits = (taken: number): Pick<WaiterView, 'permits'> => ({ permits: [taken, 3] });
    expect(strandedIn([held(shared, shared)])).toContain('c4 waits');
    expect(strandedIn([held(shared, {})])).toBe(null);
    expect(strandedIn([held(permits(2), permits(1))])).toContain('c4 waits');
    expect(strandedIn([held(permits(2), permits(2))])).toBe(null);
    const { token, session, acquireSeq, mode, slots, sessionName } = holder;
    const former = { token, session, acquireSeq, mode, permits: null, slots, sessionName };
    const ghost = { ...former, lockDelayMs: 500, closedAt: 3 };
    expect(strandedIn([{ ...lock('k1', false, 4), ghosts: [ghost] }])).toBe(null);
  });

  test('not who waits for several of which one is held, nor who stands behind it', () => {
    expect(strandedIn([lock('k1', false, 4, 5), lock('k2', true, 4)])).toBe(null);
    expect(strandedIn([lock('k1', false, 4), lock('k2', false, 3, 4)])).toContain('c3 waits');
    expect(strandedIn([lock('k1', false, 4), lock('k2', false, 4)])).toContain('k1 and k2');
  });

  test('not who may wait beyond what is shown of a long queue', () => {
    const crowded = { ...lock('k2', true, 3), waiterCount: 30 };
    expect(strandedIn([lock('k1', false, 4), crowded])).toBe(null);
    expect(strandedIn([lock('k1', false, 4), { ...crowded, waiterCount: 1 }])).toContain(
      'c4 waits',
    );
  });
});
