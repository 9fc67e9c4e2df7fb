import { describe, expect, test } from 'vitest';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import type { WatchEvent } from '../../src/wire/watch-messages.ts';
import { ClientHistory } from '../../sim/oracle/history.ts';
import { findWatchMisfit } from '../../sim/oracle/linear-watches.ts';
import type { CommittedEntry, CommittedLog } from '../../sim/oracle/types.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { WatchOracle } from '../../sim/oracle/watch.ts';
import type { ReceivedNotice } from '../../sim/oracle/watch.ts';
import { eventsFor, keptFrom } from '../../sim/oracle/watch-events.ts';

const TARGET = { name: 'k1', prefix: '' };

function granted(session: string, token: number, value: string | null = null): LockEvent {
  const facts = { session, acquireSeq: 1, token, names: ['k1', 'k2'], slots: [], value };
  return { type: 'granted', ...facts };
}

function freed(session: string, token: number, cause: 'released' | 'expired'): LockEvent {
  const facts = { session, acquireSeq: 1, token, names: ['k1', 'k2'], reason: '' };
  return { type: 'freed', cause, ...facts };
}

const EVENTS: readonly (readonly LockEvent[])[] = [
  [{ type: 'sessionOpened', session: 's1', ttlMs: 1_000 }],
  [granted('s1', 2)],
  [{ type: 'sessionOpened', session: 's2', ttlMs: 1_000 }],
  [{ type: 'queued', session: 's2', acquireSeq: 1, waitMs: null, names: ['k1', 'k2'] }],
  [
    { type: 'sessionEnded', session: 's1', cause: 'expired', reason: '' },
    freed('s1', 2, 'expired'),
    granted('s2', 5, 'me'),
  ],
  [{ type: 'proclaimed', session: 's2', acquireSeq: 1, token: 5, names: ['k1', 'k2'], value: 'x' }],
  [freed('s2', 5, 'released')],
];

const entries = EVENTS.map((events, at): CommittedEntry => {
  const unseen = { term: 1, command: null, outcome: null, atUs: at, by: 'n1' };
  return { index: at + 1, events, ...unseen };
});
const LOG: CommittedLog = { entries, at: (index) => entries[index - 1] };

function told(revision: number): readonly WatchEvent[] {
  const entry = LOG.at(revision);
  return entry === undefined ? [] : eventsFor(TARGET, entry);
}

/** What the link of one watch brings, and what the node behind it has in memory. */
function misfitOf(
  messages: readonly NodeMessage[],
  { after = null, keeps = 0 }: { readonly after?: number | null; readonly keeps?: number } = {},
): string | null {
  const history = new ClientHistory(
    () => 0,
    () => keeps,
  );
  const ear = history.listen('c1');
  const welcome = { version: 1, clusterId: 'c', nodeId: 'n1', storeId: 's' } as const;
  ear.heard({ type: 'welcome', ...welcome });
  ear.sent({ type: 'watch', watchId: 1, target: TARGET, after });
  for (const message of messages) ear.heard(message);
  return findWatchMisfit(history, LOG)?.message ?? null;
}

function watching(revision: number, isComplete = true): NodeMessage {
  return { type: 'watching', watchId: 1, revision, isComplete };
}

function heard(revision: number, events = told(revision), hasMore = false): NodeMessage {
  return { type: 'watchEvents', watchId: 1, revision, events, hasMore };
}

describe('INV-12 a watch as its node tells it', () => {
  test('is right when it tells every entry that concerns it, in order', () => {
    expect(misfitOf([watching(0), ...[2, 4, 5, 6, 7].map((each) => heard(each))])).toBeNull();
    expect(misfitOf([watching(4), heard(5), heard(6)], { after: 4 })).toBeNull();
    const [first, second] = told(5);
    if (first === undefined || second === undefined) throw new Error('two events');
    const parts = [heard(5, [first], true), heard(5, [second]), heard(6)];
    expect(misfitOf([watching(4), ...parts])).toBeNull();
    expect(misfitOf([watching(4), heard(5, [first], true)])).toBeNull();
  });

  test.each([
    ['leaves an entry out', [watching(0), heard(2), heard(5)], 'told of 5, and not of 4'],
    ['tells one twice', [watching(0), heard(2), heard(2)], 'came after 2'],
    ['tells one late', [watching(0), heard(2), heard(5), heard(4)], 'and not of 4'],
    ['tells of what it was not asked for', [watching(4), heard(4)], 'came after 4'],
    ['leaves an event out', [watching(4), heard(5, told(5).slice(1))], 'of 5 it was told'],
    ['tells in another order', [watching(4), heard(5, [...told(5)].reverse())], 'of 5 it was'],
    ['tells of what never was', [watching(7), heard(8, told(2))], 'never committed'],
    ['has not begun', [heard(2)], 'before it had begun'],
    ['begins with a gap', [watching(3, false)], 'nothing was asked for'],
  ] as const)('is wrong when it %s', (_, messages, problem) => {
    expect(misfitOf(messages)).toContain(problem);
  });

  test('is wrong when it resumes later than it was asked to, and lost something', () => {
    expect(misfitOf([watching(4), heard(5)], { after: 2 })).toContain('and not of 4');
    expect(misfitOf([watching(3), heard(4)], { after: 2 })).toBeNull();
    expect(misfitOf([watching(1)], { after: 2 })).toContain('before what was asked for');
  });

  test('may have a gap only if the node cannot know', () => {
    expect(misfitOf([watching(5, false), heard(6)], { after: 2, keeps: 3 })).toBeNull();
    const lazy = misfitOf([watching(5, false), heard(6)], { after: 3, keeps: 3 });
    expect(lazy).toContain('n1 has all after 3');
  });

  test('begins no earlier than what anybody was told before', () => {
    const history = new ClientHistory(() => 0);
    const [one, two] = [history.listen('c1'), history.listen('c2')];
    one.sent({ type: 'watch', watchId: 1, target: TARGET, after: null });
    one.heard(watching(4));
    one.heard(heard(5));
    two.sent({ type: 'watch', watchId: 1, target: TARGET, after: null });
    two.heard(watching(4));
    expect(findWatchMisfit(history, LOG)?.message).toContain('5 had been told before');
  });

  test('knows what a node keeps: its own life, and no more events than there is room for', () => {
    const of = (begin: number, eventsMax: number): number =>
      keptFrom(LOG, { begin, applied: 7, eventsMax });
    expect([of(0, 100), of(3, 100), of(0, 1), of(0, 5), of(0, 6)]).toEqual([0, 3, 6, 4, 2]);
  });
});

describe('INV-12 what users of the library are told', () => {
  const notices = (...revisions: readonly number[]): readonly ReceivedNotice[] =>
    revisions.flatMap((revision) => told(revision).map((event) => ({ ...event, revision })));

  function problemOf(
    from: number,
    items: readonly ReceivedNotice[],
    gapAt?: number,
  ): string | null {
    const verdict = new Verdict(() => 0);
    const history = new ClientHistory(
      () => 0,
      () => 9,
    );
    if (gapAt !== undefined) {
      const ear = history.listen('c1');
      ear.sent({ type: 'watch', watchId: 1, target: TARGET, after: 2 });
      ear.heard(watching(gapAt, false));
    }
    const oracle = new WatchOracle({ verdict, history });
    const record = oracle.watching('c1', TARGET, from);
    for (const item of items) record.received(item);
    oracle.check(LOG);
    expect(verdict.violation?.oracle ?? 'INV-12').toBe('INV-12');
    return verdict.violation?.message ?? null;
  }

  test('every event once and in order, from the revision on at which the watch was ready', () => {
    expect(problemOf(0, notices(2, 4, 5, 6, 7))).toBeNull();
    expect(problemOf(2, notices(4, 5))).toBeNull();
    expect(problemOf(2, notices(4, 5).slice(0, -1))).toBeNull();
  });

  test('nothing is left out, told twice or changed', () => {
    expect(problemOf(0, notices(2, 5))).toContain('and not of 4');
    expect(problemOf(0, notices(2, 4, 4))).toContain('of 4 it was told');
    expect(problemOf(0, notices(2, 4, 2))).toContain('came after 4');
    expect(problemOf(4, notices(5).slice(1))).toContain('of 5 it was told');
  });

  test('a gap is told when a node said so, and leaves out no more than that', () => {
    const gap = (after: number, revision: number) => ({ type: 'gap', after, revision }) as const;
    expect(problemOf(0, [...notices(2), gap(2, 5), ...notices(6)], 5)).toBeNull();
    expect(problemOf(5, [gap(2, 5), ...notices(6)], 5)).toBeNull();
    expect(problemOf(0, [...notices(2), gap(2, 5), ...notices(6)])).toContain('no node spoke');
    expect(problemOf(0, [gap(0, 5), ...notices(6)], 5)).toContain('2 was not told');
    expect(problemOf(0, [...notices(2), ...notices(6)], 5)).toContain('and not of 4');
  });

  const leader = (session: string, token: number, value: string) => ({
    leader: { session, acquireSeq: 1, token, value },
    revision: token,
  });
  const vacant = (revision: number) => ({ leader: null, revision });

  test('an observer sees all leaders, their values and vacancy, each once', () => {
    const tell = (
      ...views: readonly ReturnType<typeof vacant | typeof leader>[]
    ): string | null => {
      const verdict = new Verdict(() => 0);
      const oracle = new WatchOracle({ verdict, history: new ClientHistory(() => 0) });
      const record = oracle.observing('c1', 'k1');
      for (const view of views) record.received(view);
      oracle.check(LOG);
      return verdict.violation?.message ?? null;
    };
    const changed = { ...leader('s2', 5, 'x'), revision: 6 };
    const all = [vacant(1), leader('s1', 2, ''), leader('s2', 5, 'me'), changed, vacant(7)];
    expect(tell(...all)).toBeNull();
    expect(tell({ ...leader('s1', 2, ''), revision: 4 }, leader('s2', 5, 'me'))).toBeNull();
    expect(tell(vacant(1), leader('s2', 5, 'me'))).toContain('not told of 2');
    expect(tell(vacant(1), vacant(5))).toContain('at 5 it saw null');
    expect(tell(vacant(0), vacant(1))).toContain('told twice');
    expect(tell(leader('s2', 5, 'x'))).toContain('at 5 it saw');
    expect(tell(vacant(7), leader('s2', 5, 'me'))).toContain('5 came after 7');
  });

  test('LIV-6 who listens and was not told of all is behind, until it ends', () => {
    const verdict = new Verdict(() => 0);
    const oracle = new WatchOracle({ verdict, history: new ClientHistory(() => 0) });
    const record = oracle.watching('c1', TARGET, 5);
    expect(oracle.behind(LOG)).toContain('the watch of c1 at k1 from 5 on');
    for (const notice of notices(6, 7)) record.received(notice);
    expect(oracle.behind(LOG)).toBeNull();
    const observer = oracle.observing('c2', 'k1');
    observer.received(leader('s2', 5, 'me'));
    expect(oracle.behind(LOG)).toContain('the observer c2 of k1');
    observer.end();
    expect(oracle.behind(LOG)).toBeNull();
  });
});
