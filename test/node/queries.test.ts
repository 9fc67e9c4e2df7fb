import { expect, test } from 'vitest';
import { answerQuery } from '../../src/node/queries.ts';
import { Rig } from '../locks/rig.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import { encodeNodeMessages } from '../../src/wire/client.ts';
import type { Query, QueryResult } from '../../src/wire/client-messages.ts';

const FRAME_BYTES_MAX = 262_144;

/** Answers about "a", which one holds and so many wait for, all with this session name. */
function setUp(waiters: number, name: string): (query: Query) => QueryResult {
  const rig = new Rig();
  rig.take(rig.open(), 'a');
  for (let at = 0; at < waiters; at++) rig.acquire(rig.open({ name }), 'a');
  return (query) =>
    answerQuery(query, rig.machine, () => {
      throw new Error('nobody asks for the status');
    });
}

function locksOf(result: QueryResult): readonly LockView[] {
  if (result.kind === 'lock') return [result.lock];
  return result.kind === 'locks' ? result.locks : [];
}

test('of a queue, inspect shows the first 500, a list the first 20, and both how many', () => {
  const ask = setUp(600, 'worker');
  const [one] = locksOf(ask({ kind: 'inspect', name: 'a' }));
  expect(one?.waiters).toHaveLength(500);
  expect(one?.waiterCount).toBe(600);
  const [listed] = locksOf(ask({ kind: 'list', prefix: '', after: '', limit: 10 }));
  expect(listed).toEqual({ ...one, waiters: one?.waiters.slice(0, 20) });
});

test('a queue of long names fits a frame, and its length is told', () => {
  const ask = setUp(500, '漢'.repeat(85));
  const result = ask({ kind: 'inspect', name: 'a' });
  const [one] = locksOf(result);
  expect(one?.waiters.length).toBeLessThan(500);
  expect(one?.waiterCount).toBe(500);
  const frame = encodeNodeMessages([{ type: 'answer', requestId: 1, revision: 1, result }]);
  expect(frame.length).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});
