import { describe, expect, test, vi } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';
import type { World } from '../../sim/api/types.ts';
import { failing } from './failing.ts';

/** Two workers who take turns, and write under the lock. */
async function twoWorkers(world: World): Promise<number> {
  const store = world.fencedStore('stock');
  for (const name of ['worker-1', 'worker-2']) {
    world.run(name, async (own) => {
      const client = own.client({ ttlMs: 2_000 });
      for (let round = 1; round <= 5; round++) {
        await client.lock('stock').do(async (grant) => {
          await own.sleep('100ms');
          await store.write({ token: grant.token, value: `${name} ${round}` });
        });
      }
    });
  }
  await world.until(() => store.history.length === 10);
  return store.history.filter((write) => write.isWritten).length;
}

describe('a world', () => {
  test('runs programs in virtual time, and the same seed is the same run', async () => {
    const first = await simulate({ seed: 7 }, twoWorkers);
    const second = await simulate({ seed: 7 }, twoWorkers);
    const other = await simulate({ seed: 8 }, twoWorkers);
    expect(first.value).toBe(10);
    expect(first.virtualMs).toBeGreaterThan(1_000);
    expect(second.traceHash).toBe(first.traceHash);
    expect(other.traceHash).not.toBe(first.traceHash);
    expect(first.story.join('\n')).toContain('worker-2 holds stock with token');
  });

  test('refuses the write of a holder that stood still for too long', async () => {
    const { value } = await simulate({ seed: 3 }, async (world) => {
      const store = world.fencedStore('stock');
      let slow: string | null = null;
      world.run('slow', async (own) => {
        const grant = await own.client({ ttlMs: 1_000 }).lock('stock').acquire();
        world.pause('slow', { forMs: '5s' });
        await own.sleep(1);
        slow = await store.write({ token: grant.token, value: 'late' });
      });
      await world.sleep('1s');
      const client = world.client('quick', { ttlMs: 1_000 });
      const grant = await client.lock('stock').acquire();
      const quick = await store.write({ token: grant.token, value: 'new' });
      await world.until(() => slow !== null);
      return { quick, slow, value: store.value };
    });
    expect(value).toEqual({ quick: 'written', slow: 'stale', value: 'new' });
  });

  test('tells of a check, a program, a deadlock and a limit', async () => {
    const check = await failing(async (world) => {
      await world.sleep('2s');
      world.check(false, 'two were in');
    });
    expect([check.oracle, check.atMs >= 2_000, check.message]).toEqual([
      'CHECK',
      true,
      'two were in',
    ]);
    const program = await failing(async (world) => {
      world.run('worker', async () => {
        throw new Error('it broke');
      });
      await world.sleep('1s');
    });
    expect([program.oracle, program.message]).toEqual([
      'PROGRAM',
      'the program worker threw Error: it broke',
    ]);
    const limit = await failing(
      async (world) => {
        for (;;) await world.sleep('1s');
      },
      { limitMs: '20s' },
    );
    expect(limit.oracle).toBe('LIMIT');
    const deadlock = await failing(async (world) => {
      const take = (name: string, first: string, then: string) =>
        world.run(name, async (own) => {
          const client = own.client();
          await client.lock(first).acquire({ waitMs: Infinity });
          await own.sleep(100);
          await client.lock(then).acquire({ waitMs: Infinity });
        }).done;
      await Promise.all([take('left', 'a', 'b'), take('right', 'b', 'a')]);
    });
    expect(deadlock.oracle).toBe('DEADLOCK');
    expect(deadlock.message).toMatch(/left waits since \S+ s for b, while right holds b/);
  });

  test('gives what a program returned, and its failure to whoever reads it', async () => {
    const { value } = await simulate({ seed: 1 }, async (world) => {
      const good = world.run('good', async (own) => own.life);
      const bad = world.run('bad', async () => {
        throw new Error('heard');
      }).done;
      return [await good.done, await bad.catch((error: unknown) => String(error))];
    });
    expect(value).toEqual([1, 'Error: heard']);
  });

  test('partitions, crashes and restarts', async () => {
    const { value } = await simulate({ seed: 5 }, async (world) => {
      const before = world.leader();
      world.partition('leader');
      await world.until(() => world.leader() !== null && world.leader() !== before, {
        within: '20s',
      });
      world.heal();
      const lives: number[] = [];
      const handle = world.run('worker', async (own) => {
        lives.push(own.life);
        await own.sleep('1h');
      });
      await world.sleep(10);
      world.crash('worker');
      const wasAlive = handle.isAlive;
      await world.sleep(10);
      world.restart('worker');
      await world.sleep(10);
      return { isOther: before !== world.leader(), lives, wasAlive, isAlive: handle.isAlive };
    });
    expect(value).toEqual({ isOther: true, lives: [1, 2], wasAlive: false, isAlive: true });
  });

  test.each([
    [{ seed: -1 }, /seed must be a whole number from 0 to 4294967295/],
    [{ nodes: 2 }, /nodes must be 1 or 3 or 5/],
    [{ node: 3 }, /there is no option "node"/],
    [{ heartbeatMs: 100 }, /heartbeatMs must be a whole number from 1 to 50/],
    [{ limitMs: 'soon' }, /a duration must be milliseconds or a text such as/],
    [{ check: 'all' }, /check must be "usual" or "references"/],
  ])('refuses the options %j', async (options, message) => {
    const given = { seed: 1, report: false, ...options };
    // @ts-expect-error -- as callers without types may do.
    await expect(simulate(given, async () => {})).rejects.toThrow(message);
  });

  test('names what there is when asked for what is not', async () => {
    const unknown = await failing(async (world) => world.crash('worker-9'));
    expect(unknown.message).toContain(
      'there is no node or process "worker-9"; there are n1, n2, n3',
    );
    const twice = await failing(async (world) => {
      world.client('a');
      world.run('a', async () => {});
    });
    expect(twice.message).toContain('there is a node or process named a already');
  });

  test('takes what it waits for: a condition, a rare state, or not in time', async () => {
    const { value } = await simulate({ seed: 1, report: false }, async (world) => {
      const from = world.nowMs;
      const at = from + 1_500;
      await world.until(() => world.nowMs >= at);
      const waitedMs = world.nowMs - from;
      world.pause('leader', { forMs: '10s' });
      await world.until('leader-stalls');
      const late = await world.until(() => false, { within: '2s' }).catch(String);
      return [Math.floor(waitedMs / 100), late];
    });
    expect(value).toEqual([15, 'Error: did not come within 2000 ms: () => false']);
  });

  test('gives the client of the present life, and lets the dead do nothing', async () => {
    const { value } = await simulate({ seed: 1, report: false }, async (world) => {
      const store = world.fencedStore('a');
      const first = world.client('owner', { ttlMs: 1_000 });
      const grant = await first.lock('a').acquire();
      let release: () => void = () => {};
      const shared = new Promise<void>((resolve) => (release = resolve));
      world.run('zombie', async () => {
        await shared;
        await store.write({ token: grant.token, value: 'from the grave' });
        world.check(false, 'nobody answers the dead');
      });
      world.crash('zombie');
      release();
      world.crash('owner');
      const error = await Promise.resolve()
        .then(() => world.client('owner'))
        .catch(String);
      world.restart('owner');
      const second = world.client('owner');
      await second.lock('a').acquire();
      await world.sleep('1s');
      return { error, isOther: second !== first, writes: store.history.length };
    });
    expect(value).toEqual({
      error: 'HoldfastError: INVALID: the process owner is dead, or did not begin again yet',
      isOther: true,
      writes: 0,
    });
  });

  test('keeps what programs log, and prints it with their name and time', async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
    const talk = async (world: World): Promise<void> => {
      await world.run('worker', async () => console.log('it is %d', 5)).done;
    };
    const { story } = await simulate({ seed: 1, report: false }, talk);
    expect(story.join('\n')).toMatch(/at 0\.\d{3} s worker logs: it is 5/);
    expect(printed.mock.calls).toEqual([['[0.000 s worker] it is 5']]);
    await simulate({ seed: 1, report: false, console: 'keep' }, talk);
    expect(printed).toHaveBeenCalledTimes(1);
    printed.mockRestore();
  });

  test('hands over timers or input first to whoever stood still, as real machines do', async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const { value } = await simulate({ seed, report: false }, async (world) => {
        const owner = world.client('owner');
        const grant = await owner.lock('a').acquire();
        const order: string[] = [];
        world.run('worker', async (own) => {
          const waiting = own.client().lock('a').acquire();
          void own.sleep(200).then(() => order.push('timer'));
          await waiting;
          order.push('grant');
        });
        await world.sleep(100);
        world.pause('worker', { forMs: '1s' });
        await world.sleep(50);
        await grant.release();
        await world.sleep('2s');
        return order.join(' before ');
      });
      orders.add(value);
    }
    expect(orders).toEqual(new Set(['grant before timer', 'timer before grant']));
  });

  test('cuts off from everybody also those who come later', async () => {
    const { value } = await simulate({ seed: 1, report: false }, async (world) => {
      for (const node of world.nodes) world.partition(node);
      const client = world.client('late');
      const cut = await client.ready(5_000).catch(String);
      world.heal();
      await client.ready(20_000);
      return cut;
    });
    expect(value).toContain('UNAVAILABLE');
  });

  test('has in its hash what is written and what is noted, not only that it is', async () => {
    const hashes = [1, 2].map(async (value) => {
      const { traceHash } = await simulate({ seed: 1, report: false }, async (world) => {
        await world.fencedStore('a').write({ token: 1, value });
      });
      return traceHash;
    });
    const [one, two] = await Promise.all(hashes);
    expect(one).not.toBe(two);
  });
});
