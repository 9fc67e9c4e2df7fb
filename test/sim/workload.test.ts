import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { OP_KINDS } from '../../sim/script/types.ts';
import type { Op, Script } from '../../sim/script/types.ts';
import { Calls, GIVEN_UP } from '../../sim/workload/calls.ts';
import { reportRejections } from '../../sim/workload/rejections.ts';
import { KeyedRandom } from '../../sim/world/random.ts';
import { seeds } from './scenario.ts';
import { beginRun, opOf, scriptOf } from './workload-run.ts';

const OPS = 60;

/** Every kind of operation, half of them acquires. */
function mixedScript(noise: number): Script {
  const random = new KeyedRandom(noise);
  const ops = Array.from({ length: OPS }, (_, id): Op => {
    const kind = OP_KINDS[random.below(OP_KINDS.length * 2, 'kind', id)] ?? 'acquire';
    const [client, key] = [random.below(3, 'client', id), random.below(3, 'key', id)];
    const atMs = 800 + random.below(4_000, 'at', id);
    const [holdMs, arg] = [random.below(200, 'hold', id), random.below(100, 'arg', id)];
    return { id, client, kind, key, atMs, holdMs, arg };
  });
  return scriptOf({ ops, noise, shape: { nodes: 3, clients: 3, keys: 3 } });
}

describe('the workload', () => {
  test('LIV-1 LIV-6 INV-17 a run without faults keeps every promise and leaves nothing behind', async () => {
    for (const seed of seeds(8)) {
      const { until, checkLiveness, ...run } = await beginRun(mixedScript(seed));
      await until(5_000);
      await checkLiveness();
      expect([seed, run.verdict.violation]).toEqual([seed, null]);
      expect(run.workload.grants).toBeGreaterThan(20);
      expect(run.workload.fencing.writes).toBeGreaterThan(run.workload.grants);
      expect([run.workload.isIdle, run.workload.holds, run.workload.waits]).toEqual([true, [], []]);
    }
  });

  test('DET-1 the same script twice is the same run', async () => {
    const hashOf = async (): Promise<string> => {
      const run = await beginRun(mixedScript(5));
      await run.until(5_000);
      await run.checkLiveness();
      return run.cluster.world.traceHash();
    };
    expect(await hashOf()).toBe(await hashOf());
  });

  test('nothing is done for a dead client; a stopped one does it when it goes on', async () => {
    const ops = [opOf({ id: 1, atMs: 1_500 }), opOf({ id: 2, atMs: 1_500, client: 1, key: 1 })];
    const run = await beginRun(scriptOf({ ops }));
    const [dead, stopped] = run.workload.clients;
    await run.until(1_400);
    dead?.handle.crash();
    stopped?.handle.pause();
    await run.until(2_000);
    expect([run.workload.grants, run.workload.isIdle]).toEqual([0, true]);
    dead?.handle.start();
    stopped?.handle.resume();
    await run.until(2_500);
    expect([run.workload.grants, run.verdict.violation]).toEqual([1, null]);
  });

  test('a client that closes begins anew, and works again', async () => {
    const ops = [
      opOf({ id: 1, atMs: 1_000, holdMs: 5_000 }),
      opOf({ id: 2, atMs: 1_100, kind: 'close' }),
      opOf({ id: 3, atMs: 1_500 }),
    ];
    const run = await beginRun(scriptOf({ ops }));
    await run.until(2_000);
    expect(run.workload.clients[0]?.handle.process.incarnation).toBe(2);
    expect([run.workload.grants, run.workload.isIdle]).toEqual([2, true]);
    expect(run.verdict.violation).toBe(null);
  });

  test('a hold is released and a wait given up when the script says so', async () => {
    const ops = [
      opOf({ id: 1, atMs: 1_000, holdMs: 60_000 }),
      opOf({ id: 2, atMs: 1_100, client: 1, holdMs: 60_000 }),
      opOf({ id: 3, atMs: 1_200, client: 1, kind: 'cancel', arg: 7 }),
      opOf({ id: 4, atMs: 1_600, kind: 'release', arg: 7 }),
    ];
    const run = await beginRun(scriptOf({ ops }));
    await run.until(1_150);
    expect(run.workload.waits.map(({ client, names }) => [client, names])).toEqual([
      ['c2', ['k1']],
    ]);
    await run.until(1_300);
    expect([run.workload.waits.length, run.workload.holds.length]).toEqual([0, 1]);
    await run.until(2_000);
    expect([run.workload.grants, run.workload.isIdle]).toEqual([1, true]);
  });
});

describe('what the library may answer', () => {
  const setUp = (): { verdict: Verdict; calls: Calls } => {
    const verdict = new Verdict(() => 7);
    return { verdict, calls: new Calls(verdict, () => 7) };
  };
  const reject = async ({ calls }: { calls: Calls }, error: unknown): Promise<void> => {
    const call = { what: 'c1: acquire k1', life: { isAlive: true }, limitMs: 1 };
    const failing = calls.track({ ...call, codes: ['WAIT_OVER'] }, () => Promise.reject(error));
    await expect(failing).rejects.toBe(error);
    expect(calls.outstanding()).toEqual([]);
  };

  test('documented errors and given-up waits are part of life', async () => {
    const { verdict, calls } = setUp();
    await reject({ calls }, new HoldfastError('WAIT_OVER', 'too long'));
    await reject({ calls }, new HoldfastError('UNAVAILABLE', 'nobody'));
    await reject({ calls }, GIVEN_UP);
    calls.onProgramError('c1: acquire', new HoldfastError('LOCK_LOST', 'lost'));
    calls.onProgramError('c1: acquire', GIVEN_UP);
    expect(verdict.violation).toBe(null);
  });

  test('everything else is a bug of the library', async () => {
    const strange = [
      new HoldfastError('INTERNAL', 'oops'),
      new HoldfastError('INVALID', 'oops'),
      new HoldfastError('LOCK_BUSY', 'it was to wait'),
      new TypeError('undefined is not a function'),
    ];
    for (const error of strange) {
      const { verdict, calls } = setUp();
      await reject({ calls }, error);
      expect(verdict.violation).toMatchObject({ oracle: 'API', atUs: 7 });
    }
    const { verdict, calls } = setUp();
    calls.onProgramError('c1: acquire', new TypeError('oops'));
    expect(verdict.violation?.oracle).toBe('API');
  });

  test('calls of a dead process are nobody’s', () => {
    const { calls } = setUp();
    const life = { isAlive: true };
    void calls.track(
      { what: 'c1: close', life, limitMs: 1, codes: [] },
      () => new Promise(() => {}),
    );
    expect(calls.outstanding().map(({ what }) => what)).toEqual(['c1: close']);
    life.isAlive = false;
    expect(calls.outstanding()).toEqual([]);
  });

  test('a rejection that nobody hears is a bug, for as long as somebody listens', () => {
    const { verdict } = setUp();
    const before = process.listeners('unhandledRejection');
    const stop = reportRejections(verdict);
    const listener = process.listeners('unhandledRejection').find((each) => !before.includes(each));
    listener?.(new Error('unheard'), Promise.resolve());
    expect(verdict.violation?.message).toContain('unheard');
    stop();
    expect(process.listeners('unhandledRejection')).toEqual(before);
  });
});
