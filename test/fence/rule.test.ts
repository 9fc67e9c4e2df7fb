import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkClaim, checkSlot, rowsOf } from '../../src/fence/claim.ts';
import { staleToken } from '../../src/fence/errors.ts';
import { UNSEEN, admit, seenAgainst } from '../../src/fence/rule.ts';
import type { FenceState } from '../../src/fence/rule.ts';
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
