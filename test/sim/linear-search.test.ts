import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchLinearizable, searchLock } from '../../sim/oracle/search.ts';
import type { Act, Holder, KeyOperation } from '../../sim/oracle/search-types.ts';
import { Lab, tokenIn } from './linear-lab.ts';

const LOOK = { kind: 'inspect', name: 'k1' } as const;

/** All orders of so many numbers. */
function orders(numbers: readonly number[]): readonly (readonly number[])[] {
  if (numbers.length === 0) return [[]];
  return numbers.flatMap((first) =>
    orders(numbers.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}

function fitsTime(operations: readonly KeyOperation[]): boolean {
  return operations.every((later, at) =>
    operations.slice(0, at).every((earlier) => earlier.start < later.end),
  );
}

const EXCLUSIVE = { mode: 'exclusive', permits: null } as const;
const SHARED = { mode: 'shared', permits: null } as const;
const permits = (taken: number) => ({ mode: 'exclusive', permits: [taken, 3] }) as const;

/** Whether all of them can hold the lock at once. */
function areTogether(all: readonly Holder[]): boolean {
  if (all.length === 1) return true;
  const taken = all.map(({ item }) => item.permits?.[0] ?? null);
  if (taken.every((each) => each === null)) return all.every(({ item }) => item.mode === 'shared');
  return taken.every((each) => each !== null) && taken.reduce((sum, each) => sum + each, 0) <= 3;
}

/** Plays one order; written without a thought of the search. */
function isExplained(operations: readonly KeyOperation[]): boolean {
  let held: Holder[] = [];
  const ended = new Set<string>();
  const tokens: Holder[] = [];
  const matches = (holder: Holder, act: Extract<Act, { of: unknown }>): boolean =>
    (['session', 'acquireSeq', 'token'] as const).every(
      (part) => act.of[part] === null || act.of[part] === holder[part],
    );
  for (const { act } of operations) {
    if (act.kind === 'grant') {
      const { holder } = act;
      const isBeside = (other: Holder): boolean => areTogether([other, holder]);
      if (ended.has(holder.session) || !areTogether([...held, holder])) return false;
      if (tokens.some((other) => !isBeside(other) && other.token >= holder.token)) return false;
      held.push(holder);
      tokens.push(holder);
    } else if (act.kind === 'end') {
      ended.add(act.session);
      held = held.filter((holder) => holder.session !== act.session);
    } else if (act.kind === 'look') {
      const seen = held.map((holder) => holder.token);
      if (seen.length !== act.tokens.length) return false;
      if (!seen.every((token) => act.tokens.includes(token))) return false;
    } else {
      const found = held.filter((holder) => matches(holder, act));
      const wants = act.kind === 'see' ? 'some' : act.finds;
      if (wants !== 'any' && found.length > 0 !== (wants === 'some')) return false;
      if (act.kind === 'free') held = held.filter((holder) => !found.includes(holder));
    }
  }
  return true;
}

/** Tries every order of every choice of those that nobody heard of. */
function bruteForce(operations: readonly KeyOperation[]): boolean {
  const numbers = operations.map((_, at) => at);
  const optional = numbers.filter((at) => operations[at]?.end === Infinity);
  for (let choice = 0; choice < 2 ** optional.length; choice++) {
    const left = optional.filter((_, bit) => (choice >>> bit) % 2 === 1);
    const chosen = numbers.filter((at) => !left.includes(at));
    for (const order of orders(chosen)) {
      const played = order.flatMap((at) => operations[at] ?? []);
      if (fitsTime(played) && isExplained(played)) return true;
    }
  }
  return false;
}

const holders: readonly Holder[] = [
  { session: 's1', acquireSeq: 1, token: 3, item: EXCLUSIVE },
  { session: 's1', acquireSeq: 2, token: 5, item: EXCLUSIVE },
  { session: 's2', acquireSeq: 1, token: 4, item: EXCLUSIVE },
  { session: 's2', acquireSeq: 2, token: 6, item: SHARED },
  { session: 's3', acquireSeq: 1, token: 6, item: SHARED },
  { session: 's1', acquireSeq: 3, token: 7, item: permits(2) },
  { session: 's2', acquireSeq: 3, token: 7, item: permits(1) },
  { session: 's3', acquireSeq: 2, token: 8, item: permits(1) },
];

function actOf(kind: number, holder: Holder): Act {
  const { session, acquireSeq, token } = holder;
  const of = { session, acquireSeq, token: kind % 2 === 0 ? token : null };
  switch (kind) {
    case 0:
    case 1:
    case 2:
      return { kind: 'free', of, finds: (['some', 'none', 'any'] as const)[kind] ?? 'any' };
    case 3:
      return { kind: 'see', of };
    case 4:
      return { kind: 'look', tokens: [] };
    case 5:
      return { kind: 'look', tokens: [token] };
    case 6:
      return { kind: 'end', session };
    default:
      return { kind: 'grant', holder };
  }
}

const operation = fc
  .record({
    kind: fc.nat(9),
    who: fc.constantFrom(...holders),
    start: fc.nat(12),
    length: fc.nat(12),
    isLost: fc.boolean(),
  })
  .map(({ kind, who, start, length, isLost }): [string, KeyOperation] => {
    const act = actOf(kind, who);
    const end = isLost && kind > 2 ? Infinity : start + length + 0.5;
    const name = act.kind === 'grant' ? `grant ${who.token} ${who.session}` : `${start} ${kind}`;
    return [name, { start, end, act }];
  });

const history = fc
  .uniqueArray(operation, { maxLength: 6, selector: ([name]) => name })
  // No two start at the same moment.
  .map((list) => list.map(([, each], at) => ({ ...each, start: each.start + at / 100 })));

describe('the search', () => {
  test('INV-12 finds an order if and only if there is one', () => {
    let found = 0;
    fc.assert(
      fc.property(history, (operations) => {
        const isThere = bruteForce(operations);
        if (isThere) found++;
        expect(searchLock(operations)).toBe(isThere ? 'linearizable' : 'not');
      }),
      { numRuns: 1_500, seed: 12 },
    );
    expect(found).toBeGreaterThan(200);
    expect(found).toBeLessThan(1_300);
  });

  test('INV-16 a grant of which only others heard must fit by its token too', () => {
    const late: Holder = { session: 's1', acquireSeq: 1, token: 9, item: EXCLUSIVE };
    const early: Holder = { session: 's2', acquireSeq: 1, token: 8, item: EXCLUSIVE };
    const operations: readonly KeyOperation[] = [
      { start: 0, end: 2, act: { kind: 'grant', holder: late } },
      { start: 1, end: Infinity, act: { kind: 'grant', holder: early } },
      { start: 3, end: 4, act: { kind: 'free', of: late, finds: 'some' } },
      { start: 5, end: 6, act: { kind: 'see', of: early } },
    ];
    expect(searchLock(operations)).toBe('not');
  });

  test('INV-12 gives up on too many orders, instead of taking for ever', () => {
    const many = Array.from({ length: 14 }, (_, at): KeyOperation => {
      const holder = { session: `s${at}`, acquireSeq: 1, token: 9, item: SHARED };
      return { start: at, end: 100 + at, act: { kind: 'grant', holder } };
    });
    const impossible: KeyOperation = {
      start: 50,
      end: 60,
      act: { kind: 'look', tokens: [1_000] },
    };
    expect(searchLock([...many, impossible])).toBe('gave up');
    expect(searchLock(many)).toBe('linearizable');
  });
});

describe('the search in a history of clients', () => {
  function verdictOf(play: (lab: Lab) => void): string {
    const lab = new Lab();
    play(lab);
    return searchLinearizable(lab.history);
  }

  test('INV-12 explains what was granted, given back, refused and read', () => {
    const verdict = verdictOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const grant = one.call(one.acquire(['k1', 'k2']));
      two.call(two.acquire(['k2'], 0));
      two.answer(two.ask(LOOK), lab.look(LOOK));
      one.call(one.release('k1', tokenIn(grant)));
      two.answer(two.ask(LOOK), lab.look(LOOK));
      two.call(two.acquire(['k2', 'k1']));
      two.call({ op: 'closeSession', session: two.session, seq: two.nextSeq() });
      one.call(one.acquire(['k1']));
    });
    expect(verdict).toBe('linearizable');
  });

  test('INV-12 a break, as a release, ends no other grant of the same token', () => {
    const play = (lab: Lab, isFreed: boolean): void => {
      const [zero, one, two] = [lab.client('c0'), lab.client('c1'), lab.client('c2')];
      const both = zero.call(zero.acquire(['k1', 'k2']));
      const [first, second] = [one.acquire(['k1', 'k4']), two.acquire(['k2', 'k3'])];
      one.call(first);
      two.call(second);
      zero.call(zero.release('k1', tokenIn(both)));
      // Asked again, they are told of their grants.
      const token = tokenIn(one.call(first));
      expect(tokenIn(two.call(second))).toBe(token);
      const before = lab.look({ kind: 'inspect', name: 'k4' });
      zero.call({ op: 'break', name: 'k1', token, session: null, by: 'c0', reason: '' });
      if (!isFreed) zero.answer(zero.ask({ kind: 'inspect', name: 'k4' }), before);
      two.call(two.release('k3', token));
      two.call(two.acquire(['k1', 'k2', 'k3', 'k4'], 0));
    };
    expect(verdictOf((lab) => play(lab, true))).toBe('linearizable');
    expect(verdictOf((lab) => play(lab, false))).toBe('not');
  });

  test('INV-12 sees a stale read without looking at revisions', () => {
    const verdict = verdictOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const before = lab.look(LOOK);
      one.call(one.acquire(['k1']));
      two.answer(two.ask(LOOK), before);
      one.renewed(one.renew(), 'OK', 9_000);
    });
    expect(verdict).toBe('not');
  });

  test('INV-15 sees two holders of one lock', () => {
    const verdict = verdictOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      one.call(one.acquire(['k1']));
      const second = two.send(two.acquire(['k1']));
      two.hear(second, { revision: 4, outcome: { code: 'GRANTED', token: 4, slots: [] } });
      one.renewed(one.renew(), 'OK', 9_000);
    });
    expect(verdict).toBe('not');
  });

  test('INV-15 takes the end of a silent session for granted', () => {
    const verdict = verdictOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      one.call(one.acquire(['k1']));
      const second = two.send(two.acquire(['k1']));
      two.hear(second, { revision: 4, outcome: { code: 'GRANTED', token: 4, slots: [] } });
    });
    expect(verdict).toBe('linearizable');
  });

  test('INV-16 sees a token that is smaller than one before it', () => {
    const verdict = verdictOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const first = one.send(one.acquire(['k1']));
      one.hear(first, { revision: 9, outcome: { code: 'GRANTED', token: 9, slots: [] } });
      const second = two.send(two.acquire(['k1']));
      two.hear(second, { revision: 10, outcome: { code: 'GRANTED', token: 8, slots: [] } });
    });
    expect(verdict).toBe('not');
  });

  test('INV-14 sees two tokens for one request', () => {
    const verdict = verdictOf((lab) => {
      const one = lab.client('c1');
      const body = one.acquire(['k1']);
      one.call(body);
      one.hear(one.send(body), { revision: 5, outcome: { code: 'GRANTED', token: 5, slots: [] } });
    });
    expect(verdict).toBe('not');
  });
});
