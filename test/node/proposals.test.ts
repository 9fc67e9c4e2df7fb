import { describe, expect, test } from 'vitest';
import type { Admission } from '../../src/node/engine.ts';
import { Proposals } from '../../src/node/proposals.ts';
import { ManualClock } from './manual-clock.ts';

const REQUEST = { body: new Uint8Array(1), ackedBelow: 1 };
const DONE = { code: 'DONE' } as const;

/** Three requests in one turn, and the admission that consensus gives. */
function setUp(admission: Partial<Admission>) {
  const clock = new ManualClock();
  const answers: string[] = [];
  const batches: number[] = [];
  const world = { duringPropose: (): void => {} };
  const proposals = new Proposals({
    clock,
    propose: (list) => {
      batches.push(list.length);
      world.duringPropose();
      return { term: 3, firstIndex: 10, accepted: 0, refusal: null, ...admission };
    },
  });
  const submit = (): void => {
    for (const name of ['a', 'b', 'c']) {
      proposals.submit(REQUEST, ({ outcome }) => answers.push(`${name} ${outcome.code}`));
    }
    clock.turn();
  };
  return { proposals, answers, batches, submit, world };
}

describe('honest outcomes', () => {
  test('M-51 INV-13 only what was not appended is refused; the rest is unknown until applied', () => {
    const { proposals, answers, batches, submit } = setUp({ accepted: 2, refusal: 'NOT_LEADER' });
    submit();
    expect(batches).toEqual([3]);
    expect(answers).toEqual(['c NOT_LEADER']);
    proposals.settle({ index: 10, term: 3 }, DONE);
    proposals.abandon('the office is lost');
    expect(answers.slice(1)).toEqual(['a DONE', 'b OUTCOME_UNKNOWN']);
    proposals.settle({ index: 11, term: 3 }, DONE);
    expect(answers).toHaveLength(3);
  });

  test('INV-13 an entry of another term in its place is no answer to a request', () => {
    const { proposals, answers, submit } = setUp({ accepted: 3 });
    submit();
    proposals.settle({ index: 10, term: 4 }, DONE);
    expect(answers).toEqual(['a OUTCOME_UNKNOWN']);
  });

  test('LIV-6 INV-13 a node that fails while it appends answers everybody, and promises nothing', () => {
    const { proposals, answers, submit, world } = setUp({ accepted: 3 });
    world.duringPropose = () => {
      proposals.abandon('the disk failed');
      proposals.stop();
    };
    submit();
    expect(answers).toEqual(['a', 'b', 'c'].map((name) => `${name} OUTCOME_UNKNOWN`));
    submit();
    expect(answers.slice(3)).toEqual(['a', 'b', 'c'].map((name) => `${name} UNAVAILABLE`));
  });
});
