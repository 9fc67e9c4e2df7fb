import { describe, expect, test } from 'vitest';
import { encodePayload, encodeBody } from '../../src/wire/command.ts';
import { Beliefs } from '../../sim/oracle/belief.ts';
import type { Hold } from '../../sim/oracle/belief.ts';
import { Fencing } from '../../sim/oracle/fencing.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import type { Clocks, Script } from '../../sim/script/types.ts';
import { seeds } from './scenario.ts';
import { beginRun, opOf, scriptOf } from './workload-run.ts';
import type { Run, RunOptions } from './workload-run.ts';

const FAST = { driftPpm: 10_000 };
const SLOW = { driftPpm: -10_000 };
const MUCH_FASTER = { driftPpm: 400_000 };
const MUCH_SLOWER = { driftPpm: -400_000 };

/** One holds for long, the other waits; the first is cut off in between. */
function handOver(bound: Clocks['bound'], noise = 1): Script {
  const ops = [
    opOf({ id: noise, atMs: 1_000, holdMs: 60_000 }),
    opOf({ id: 1_000, atMs: 1_200, client: 1, holdMs: 60_000 }),
  ];
  const { knobs, clocks } = scriptOf({});
  const within = { ...clocks, bound };
  return scriptOf({ ops, noise, clocks: within, knobs: { ...knobs, marginMs: 0 } });
}

async function cutOff(script: Script, options: RunOptions): Promise<Run> {
  const run = await beginRun(script, options);
  await run.until(1_700 + ((script.noise * 137) % 400));
  run.cluster.world.isolate('c1');
  await run.until(5_000);
  return run;
}

describe('INV-17 what clients believe', () => {
  test('M-60 clocks that keep within the bound break no promise, however tight it gets', async () => {
    let closestUs = Infinity;
    for (const seed of seeds(8)) {
      const clocks = { nodeClock: FAST, clientClock: () => SLOW };
      const run = await cutOff(handOver('within', seed), clocks);
      expect([seed, run.verdict.violation, run.workload.grants]).toEqual([seed, null, 2]);
      expect(run.beliefs.closestUs).toBeGreaterThanOrEqual(0);
      closestUs = Math.min(closestUs, run.beliefs.closestUs);
    }
    expect(closestUs).toBeLessThan(100_000);
  });

  test('a belief that outlives its lease is found', async () => {
    const clocks = { nodeClock: MUCH_FASTER, clientClock: () => MUCH_SLOWER };
    const run = await cutOff(handOver('within'), clocks);
    expect(run.verdict.violation?.oracle).toBe('INV-17');
    expect(run.verdict.violation?.message).toMatch(/while c1 believes for another \d+ ms/);
  });

  test('beyond the bound nothing is claimed of beliefs, and fencing refuses the late', async () => {
    const clocks = { nodeClock: MUCH_FASTER, clientClock: () => MUCH_SLOWER };
    const run = await cutOff(handOver('beyond'), clocks);
    expect([run.verdict.violation, run.workload.grants]).toEqual([null, 2]);
    expect(run.workload.fencing.staleWritesRefused).toBeGreaterThan(0);
  });

  test('a stopped process may wake and ask, so its belief counts; a dead one has none', async () => {
    for (const fault of ['pause', 'crash'] as const) {
      const clocks = { nodeClock: MUCH_FASTER, clientClock: () => MUCH_SLOWER };
      const run = await beginRun(handOver('within'), clocks);
      await run.until(1_500);
      run.workload.clients[0]?.handle[fault]();
      await run.until(5_000);
      expect(run.verdict.violation?.oracle).toBe(fault === 'pause' ? 'INV-17' : undefined);
    }
  });

  test('a late write of a process that was stopped is refused', async () => {
    let refused = 0;
    for (const seed of seeds(12)) {
      const run = await beginRun(handOver('within', seed));
      await run.until(1_500);
      run.workload.clients[0]?.handle.pause();
      await run.until(3_500);
      run.workload.clients[0]?.handle.resume();
      await run.until(3_600);
      expect([seed, run.verdict.violation]).toEqual([seed, null]);
      refused += run.workload.fencing.staleWritesRefused;
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('what an operator ends is waived: its holder may learn of it late', async () => {
    for (const kind of ['break', 'endSession'] as const) {
      const operator = opOf({ id: 5, atMs: 1_800, client: 2, kind });
      const script = handOver('within');
      const shape = { nodes: 3, clients: 3, keys: 2 } as const;
      const run = await beginRun({ ...script, shape, ops: [...script.ops, operator] });
      await run.until(1_700);
      run.cluster.world.isolate('c1');
      await run.until(1_900);
      expect(run.workload.holds.map(({ client }) => client)).toEqual(['c1', 'c2']);
      expect(run.verdict.violation).toBe(null);
    }
  });

  test('to look at a belief changes nothing', async () => {
    const hashOf = async (look: (run: Run) => boolean): Promise<string> => {
      const run = await beginRun(handOver('within'));
      run.cluster.world.at(1_500_000, () => run.workload.clients[0]?.handle.pause('suspend'));
      run.cluster.world.at(2_900_000, () => run.workload.clients[0]?.handle.resume());
      await run.cluster.world.run(() => look(run), 4_000_000);
      return run.cluster.world.traceHash();
    };
    const blind = await hashOf(() => false);
    expect(await hashOf((run) => run.workload.holds.length > 2)).toBe(blind);
  });
});

describe('the oracles by themselves', () => {
  const granted = (session: string, token: number) =>
    ({
      type: 'granted',
      session,
      acquireSeq: 1,
      token,
      names: ['k1'],
      slots: [],
      value: null,
    }) as const;
  const holdOf = (client: string, token: number, state = { leftUs: 5_000 }): Hold => ({
    client,
    life: { isAlive: true },
    session: `session of ${client}`,
    grant: {
      names: ['k1', 'k2'],
      token,
      mode: 'exclusive',
      slotsOf: () => [],
      isBelievedNow: () => state.leftUs > 0,
      peekLeftUs: () => state.leftUs,
    },
  });
  const setUp = (isBound = true) => {
    const verdict = new Verdict(() => 7);
    const beliefs = new Beliefs({ verdict, isBound });
    return { verdict, beliefs, fencing: new Fencing({ verdict, beliefs, isBound }) };
  };

  test('INV-16 later grants of a lock must have larger tokens, whatever clocks do', () => {
    const { verdict, beliefs } = setUp(false);
    beliefs.onGranted(granted('s1', 5), 1);
    beliefs.onGranted(granted('s2', 6), 2);
    expect(verdict.violation).toBe(null);
    beliefs.onGranted(granted('s1', 6), 3);
    expect(verdict.violation?.oracle).toBe('INV-16');
  });

  test('INV-17 a lock is granted, or used, while another believes in it', () => {
    const first = setUp();
    first.beliefs.begin(holdOf('c1', 5));
    first.beliefs.onGranted(granted('s2', 6), 1);
    expect(first.verdict.violation?.oracle).toBe('INV-17');
    const second = setUp();
    const [one, other] = [holdOf('c1', 5), holdOf('c2', 6)];
    second.beliefs.begin(one);
    second.beliefs.begin(other);
    second.beliefs.onUse(other);
    expect(second.verdict.violation?.oracle).toBe('INV-17');
  });

  test('INV-17 a belief that is over stays over', () => {
    const { verdict, beliefs } = setUp();
    const state = { leftUs: 5_000 };
    beliefs.begin(holdOf('c1', 5, state));
    for (const leftUs of [5_000, 0]) {
      state.leftUs = leftUs;
      expect(beliefs.believed().length).toBe(leftUs > 0 ? 1 : 0);
    }
    expect(verdict.violation).toBe(null);
    state.leftUs = 5_000;
    beliefs.believed();
    expect(verdict.violation?.message).toContain('after its end');
  });

  test('INV-17 M-85 belief must be over when the expiry is created, if that is committed', () => {
    const session = 'session of c1';
    const expiry = { op: 'expireSession', session, proposerTerm: 3 } as const;
    const payload = encodePayload(encodeBody(expiry), { ackedBelow: 0, stampMs: 0 });
    const proposals = [{ type: 'command', payload, internal: true, record: null } as const];
    const proposed = {
      type: 'proposed',
      term: 3,
      firstIndex: 9,
      accepted: 1,
      refusal: null,
    } as const;
    const command = { ...expiry, session, seq: 0, ackedBelow: 0, bodyHash: 0 };
    const outcomeOf = (leftUs: number, term: number): string | undefined => {
      const { verdict, beliefs } = setUp();
      beliefs.begin(holdOf('c1', 5, { leftUs }));
      beliefs.stepped({ type: 'propose', proposals }, [proposed]);
      expect([verdict.violation, beliefs.closestUs]).toEqual([null, -leftUs]);
      beliefs.applied({ index: 9, term }, command);
      return verdict.violation?.oracle;
    };
    expect([outcomeOf(1, 3), outcomeOf(-1, 3), outcomeOf(1, 4)]).toEqual([
      'INV-17',
      undefined,
      undefined,
    ]);
  });

  test('INV-16 two sessions never write with one token', () => {
    const { verdict, fencing } = setUp(false);
    fencing.write(holdOf('c1', 5), true);
    fencing.write(holdOf('c1', 5), true);
    expect([verdict.violation, fencing.writes]).toEqual([null, 4]);
    fencing.write(holdOf('c2', 5), true);
    expect(verdict.violation?.oracle).toBe('INV-16');
  });

  test('INV-17 who has just made sure of a lock is not refused, within the bound', () => {
    const refusal = (isBound: boolean, isSure: boolean): string | undefined => {
      const { verdict, fencing } = setUp(isBound);
      fencing.write(holdOf('c2', 6), true);
      fencing.write(holdOf('c1', 5), isSure);
      expect(fencing.staleWritesRefused).toBe(2);
      return verdict.violation?.oracle;
    };
    expect(refusal(true, true)).toBe('INV-17');
    expect([refusal(true, false), refusal(false, true)]).toEqual([undefined, undefined]);
  });
});
