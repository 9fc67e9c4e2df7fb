import { describe, expect, test } from 'vitest';
import { StateHashes } from '../../src/node/state-hashes.ts';

const member = (nodeId: string) => ({ nodeId, storeId: `s-${nodeId}`, address: 'a:1' });
const VOTERS = [member('n1'), member('n2'), member('n3')];

/** Feeds (node, hash) pairs of one entry to what n1 knows; the last verdict. */
const compare = (said: readonly (readonly [string, string])[], index = 10) => {
  const hashes = new StateHashes('s-n1');
  return said
    .map(([nodeId, hash]) => hashes.note({ index, storeId: `s-${nodeId}`, hash }, VOTERS))
    .at(-1);
};

describe('the comparison of state hashes', () => {
  test('INV-5 equal states are nothing to speak of', () => {
    const said = ['n1', 'n2', 'n3'].map((nodeId) => [nodeId, 'a'] as const);
    expect(compare(said)).toEqual({ kind: 'equal' });
  });

  test('INV-5 INV-20 whoever differs from a majority of voters knows it of itself', () => {
    const said = [
      ['n1', 'b'],
      ['n2', 'a'],
      ['n3', 'a'],
    ] as const;
    expect(compare(said)).toEqual({ kind: 'differs', index: 10 });
  });

  test('INV-5 the others name the one that differs', () => {
    const said = [
      ['n1', 'a'],
      ['n2', 'a'],
      ['n3', 'b'],
    ] as const;
    expect(compare(said)).toEqual({ kind: 'strange', nodes: ['n3'], index: 10 });
  });

  test('INV-5 without a majority nobody is judged, and a learner is no part of one', () => {
    expect(
      compare([
        ['n1', 'a'],
        ['n2', 'b'],
      ]),
    ).toEqual({ kind: 'undecided', index: 10 });
    expect(
      compare([
        ['n1', 'a'],
        ['l1', 'b'],
        ['l2', 'b'],
      ]),
    ).toEqual({ kind: 'undecided', index: 10 });
  });

  test('compares equal entries only, and remembers the newest of them', () => {
    const hashes = new StateHashes('s-n1');
    for (let index = 1; index <= 100; index++) {
      hashes.note({ index, storeId: 's-n1', hash: `h${index}` }, VOTERS);
    }
    const late = { storeId: 's-n2', hash: 'other' };
    expect(hashes.note({ ...late, index: 3 }, VOTERS)).toEqual({ kind: 'equal' });
    expect(hashes.note({ ...late, index: 99 }, VOTERS)).toEqual({ kind: 'undecided', index: 99 });
  });
});
