import { describe, expect, test } from 'vitest';
import type { RequestItem } from '../../src/locks/commands.ts';
import { FencedStore } from '../../sim/fenced-store.ts';
import { Beliefs } from '../../sim/oracle/belief.ts';
import type { Hold } from '../../sim/oracle/belief.ts';
import { Fencing } from '../../sim/oracle/fencing.ts';
import { LockDelays } from '../../sim/oracle/lock-delays.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';

describe('INV-17 INV-16 beliefs of all forms', () => {
  const SHARED = { name: 'k', mode: 'shared', permits: null } as const;
  const ALONE = { name: 'k', mode: 'exclusive', permits: null } as const;
  const SLOTS = { name: 'k', mode: 'exclusive', permits: [1, 2] } as const;

  class Scene {
    readonly verdict = new Verdict(() => 7);
    readonly beliefs = new Beliefs({ verdict: this.verdict, isBound: true });
    readonly fencing = new Fencing({
      ...{ verdict: this.verdict, beliefs: this.beliefs, isBound: true },
    });

    grant(session: string, token: number, item: RequestItem, slots: readonly number[] = []): void {
      const command = { op: 'acquire', session, seq: token, items: [item], waitMs: null } as const;
      const rest = { ackedBelow: 0, bodyHash: 0, meta: '', value: null, stampMs: 0 };
      this.beliefs.onAcquire({ ...command, ...rest });
      const all = slots.length === 0 ? [] : [slots];
      const event = { session, acquireSeq: token, token, names: ['k'], slots: all, value: null };
      this.beliefs.onGranted({ type: 'granted', ...event }, token);
    }

    hold(session: string, token: number, item: RequestItem, slots: readonly number[] = []): Hold {
      const grant = { names: ['k'], token, mode: item.mode, slotsOf: () => slots };
      const belief = { isBelievedNow: () => true, peekLeftUs: () => 5_000 };
      const hold = { client: `c ${session}`, life: { isAlive: true }, session };
      const own = { ...hold, grant: { ...grant, ...belief } };
      this.beliefs.begin(own);
      return own;
    }

    get oracle(): string | null {
      return this.verdict.violation?.oracle ?? null;
    }
  }

  test("two who share, and two with other slots, are in nobody's way", () => {
    const shared = new Scene();
    shared.grant('s1', 3, SHARED);
    shared.grant('s2', 3, SHARED);
    for (const session of ['s1', 's2']) {
      shared.beliefs.onUse(shared.hold(session, 3, SHARED));
    }
    expect(shared.oracle).toBe(null);
    const slots = new Scene();
    slots.grant('s1', 3, SLOTS, [0]);
    slots.grant('s2', 4, SLOTS, [1]);
    const [one, other] = [slots.hold('s1', 3, SLOTS, [0]), slots.hold('s2', 4, SLOTS, [1])];
    for (const hold of [other, one]) {
      slots.beliefs.onUse(hold);
      slots.fencing.write(hold, true);
    }
    expect([slots.oracle, slots.fencing.staleWritesRefused]).toEqual([null, 0]);
  });

  test('INV-17 a writer beside a reader, and one slot for two', () => {
    const mixed = new Scene();
    mixed.grant('s1', 3, SHARED);
    mixed.hold('s1', 3, SHARED);
    mixed.grant('s2', 4, ALONE);
    expect(mixed.oracle).toBe('INV-17');
    const slots = new Scene();
    slots.grant('s1', 3, SLOTS, [0]);
    slots.hold('s1', 3, SLOTS, [0]);
    slots.grant('s2', 4, SLOTS, [0]);
    expect(slots.oracle).toBe('INV-17');
  });

  test('a grant is in none of its own, whoever has it in hand', () => {
    const scene = new Scene();
    scene.grant('s1', 3, ALONE);
    scene.hold('s1', 3, ALONE);
    scene.beliefs.onUse(scene.hold('s1', 3, ALONE));
    expect(scene.oracle).toBe(null);
    scene.beliefs.onUse(scene.hold('s1', 2, ALONE));
    expect(scene.oracle).toBe('INV-17');
  });

  test('INV-12 a holder is told of no other mode and slots than it was granted', () => {
    const slots = new Scene();
    slots.grant('s1', 3, SLOTS, [1]);
    slots.hold('s1', 3, SLOTS, [0]);
    expect(slots.oracle).toBe('INV-12');
    const mode = new Scene();
    mode.grant('s1', 3, SHARED);
    mode.hold('s1', 3, ALONE);
    expect(mode.oracle).toBe('INV-12');
  });

  test('INV-16 tokens grow from reader to writer, and for each slot', () => {
    const oracleOf = (...grants: readonly (readonly [number, RequestItem, number[]?])[]) => {
      const scene = new Scene();
      grants.forEach(([token, item, slots], at) => scene.grant(`s${at}`, token, item, slots));
      return scene.oracle;
    };
    expect(oracleOf([3, SHARED], [3, SHARED], [4, ALONE], [5, SHARED])).toBe(null);
    expect(oracleOf([3, SLOTS, [0]], [3, SLOTS, [1]], [4, SLOTS, [0]])).toBe(null);
    expect(oracleOf([3, SHARED], [3, ALONE])).toBe('INV-16');
    expect(oracleOf([3, ALONE], [3, SHARED])).toBe('INV-16');
    expect(oracleOf([4, SLOTS, [0]], [4, SLOTS, [0]])).toBe('INV-16');
  });

  test('fences let readers come in any order, writers after them only, slots by themselves', () => {
    const refusals = new FencedStore();
    const offer = (token: number, mode: 'exclusive' | 'shared', slot?: number): boolean =>
      refusals.offer({
        name: 'k',
        by: `${token}`,
        token,
        mode,
        ...(slot === undefined ? {} : { slot }),
      });
    expect([offer(5, 'shared'), offer(4, 'shared'), offer(4, 'exclusive')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([offer(5, 'exclusive'), offer(6, 'exclusive'), offer(6, 'exclusive')]).toEqual([
      false,
      true,
      true,
    ]);
    expect([offer(6, 'shared'), offer(7, 'shared')]).toEqual([false, true]);
    expect([offer(3, 'exclusive', 0), offer(2, 'exclusive', 1), offer(2, 'exclusive', 0)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('INV-17 a delay is not lifted before it is over by the fastest clock, unless broken', () => {
    const oracleOf = (atUs: number, cause: 'over' | 'broken', isBound = true): string | null => {
      const verdict = new Verdict(() => 7);
      const delays = new LockDelays({ verdict, isBound });
      const ghost = { session: 's1', acquireSeq: 1, token: 3, name: 'k', closedAt: 5 };
      delays.onDelayed({ type: 'delayed', ...ghost, delayMs: 101 }, 1_000);
      delays.onLifted({ type: 'lifted', ...ghost, cause, reason: '' }, atUs);
      return verdict.violation?.oracle ?? null;
    };
    expect([oracleOf(100_999, 'over'), oracleOf(101_000, 'over')]).toEqual(['INV-17', null]);
    expect([oracleOf(2_000, 'broken'), oracleOf(2_000, 'over', false)]).toEqual([null, null]);
  });
});
