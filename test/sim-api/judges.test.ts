// A user's run is judged as drawn ones are: what its own programs are granted counts.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { SessionGrant } from '../../src/client/grant.ts';
import { simulate } from '../../sim/api/simulate.ts';
import type { World } from '../../sim/api/types.ts';
import { ClientHistory } from '../../sim/oracle/history.ts';
import { failing } from './failing.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The holder stands still for longer than its lease, and another one comes. */
async function twoHolders(world: World): Promise<string> {
  world.run('slow', async (own) => {
    await own.client({ ttlMs: 1_000 }).lock('a').acquire();
    world.pause('slow', { forMs: '10s' });
  });
  await world.sleep('2s');
  const quick = world.client('quick', { ttlMs: 1_000 });
  await quick.lock('a').acquire();
  await world.sleep('1s');
  return 'kept';
}

describe('the judges of a run', () => {
  test('INV-17 find a holder that believes for too long', async () => {
    expect((await simulate({ seed: 1, report: false }, twoHolders)).value).toBe('kept');
    vi.spyOn(SessionGrant.prototype, 'isBelievedNow').mockReturnValue(true);
    const failure = await failing(twoHolders);
    expect(failure.oracle).toBe('INV-17');
    expect(failure.message).toMatch(/a was granted to .* while slow believes/);
  });

  test('INV-17 ask for it only while clocks keep to what leases allow for', async () => {
    vi.spyOn(SessionGrant.prototype, 'isBelievedNow').mockReturnValue(true);
    const clocks = { slow: { driftPpm: 50_000 } };
    const { value } = await simulate({ seed: 1, report: false, clocks }, twoHolders);
    expect(value).toBe('kept');
  });

  test('INV-17 excuse what an operator ends', async () => {
    const { value } = await simulate({ seed: 1, report: false }, async (world) => {
      const owner = world.client('owner');
      const grant = await owner.lock('a').acquire();
      world.pause('owner', { forMs: '1s' });
      const operator = world.client('operator');
      await operator.break('a', { token: grant.token, reason: 'for a test' });
      const next = await operator.lock('a').acquire();
      return next.token > grant.token;
    });
    expect(value).toBe(true);
  });

  test('INV-12 compare what clients heard with the log at the end', async () => {
    const real = ClientHistory.prototype.hearing;
    vi.spyOn(ClientHistory.prototype, 'hearing').mockImplementation(function (
      this: ClientHistory,
      revision,
      content,
    ) {
      return real.call(this, revision + 1, content);
    });
    const failure = await failing(twoHolders);
    expect(failure.oracle).toMatch(/^INV-1[234]$/);
  });
});
