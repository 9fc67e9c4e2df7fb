import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkClaim, checkSlot, rowsOf } from '../../src/fence/claim.ts';
import { staleToken } from '../../src/fence/errors.ts';
import { claimHeaders } from '../../src/fence/http-headers.ts';
import { UNSEEN, admit, seenAgainst } from '../../src/fence/rule.ts';
import type { FenceState } from '../../src/fence/rule.ts';
import type { LockMode } from '../../src/locks/commands.ts';
import { runFenceTable } from './conformance.ts';
import type { FenceWorld } from './conformance.ts';

/** The rule with nothing around it, so that the table itself is tried. */
function bareWorld(): FenceWorld {
  const rows = new Map<string, FenceState>();
  const values = new Map<string, string>();
  const at = (resource: string, slot: number) => rows.get(`${slot} ${resource}`) ?? UNSEEN;
  return {
    async write(resource, given, value) {
      const claim = checkClaim(resource, given);
      const { mode, token } = claim;
      const next = rowsOf(claim).map((slot) => {
        const seen = seenAgainst(at(resource, slot), mode);
        const state = admit(at(resource, slot), mode, token);
        if (state === null) throw staleToken({ resource, slot, token, mode, seen });
        return [`${slot} ${resource}`, state] as const;
      });
      for (const [key, state] of next) rows.set(key, state);
      values.set(resource, value);
    },
    read: async (resource) => values.get(resource) ?? null,
    seen: async (resource, slot) => at(resource, checkSlot(slot)),
    setUp: async () => undefined,
    close: async () => undefined,
  };
}

runFenceTable('the rule', async () => bareWorld());

describe('a grant of several names', () => {
  const modes = new Map<string, LockMode>([
    ['rates', 'shared'],
    ['acc/42', 'exclusive'],
    ['gpu', 'exclusive'],
  ]);
  const grant = {
    token: 34,
    mode: 'shared' as const,
    slots: [2],
    names: [...modes.keys()],
    modeOf: (name: string) => modes.get(name) ?? 'exclusive',
    slotsOf: (name: string) => (name === 'gpu' ? [2] : []),
  };

  test('is a claim to each of them in its own mode, with its own slots', () => {
    const common = { token: 34 };
    expect(checkClaim('rates', grant)).toMatchObject({ ...common, mode: 'shared', slots: [] });
    expect(checkClaim('acc/42', grant)).toMatchObject({ ...common, mode: 'exclusive', slots: [] });
    expect(checkClaim('gpu', grant)).toMatchObject({ ...common, mode: 'exclusive', slots: [2] });
    expect(claimHeaders(grant, 'rates')).toMatchObject({ 'Holdfast-Fencing-Mode': 'shared' });
    expect(claimHeaders(grant, 'acc/42')).toEqual({ 'Holdfast-Fencing-Token': '34' });
  });

  test('is none to anything else: it could be the mode or the slot of another name', () => {
    const asJson = { token: 34, mode: 'shared' as const, slots: [2], names: grant.names };
    for (const claim of [grant, asJson]) {
      expect(() => checkClaim('orders', claim)).toThrow(/INVALID.*several names \(rates, acc/);
      expect(() => claimHeaders(claim)).toThrow('INVALID');
    }
    expect(() => checkClaim('rates', asJson)).toThrow('INVALID');
    expect(checkClaim('orders', { token: grant.token })).toMatchObject({ mode: 'exclusive' });
  });
});

test('a token that is still a text says how it becomes a number', () => {
  const given: { check(resource: string, claim: unknown): unknown } = { check: checkClaim };
  expect(() => given.check('a', { token: '34' })).toThrow('a number, as of Number(token)');
});

test('what is remembered never goes back, whatever is presented', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 9 }))), (tried) => {
      let state = UNSEEN;
      for (const [isShared, token] of tried) {
        const next = admit(state, isShared ? 'shared' : 'exclusive', token) ?? state;
        expect(next.maxExclusive).toBeGreaterThanOrEqual(state.maxExclusive);
        expect(next.maxShared).toBeGreaterThanOrEqual(state.maxShared);
        state = next;
      }
    }),
  );
});
