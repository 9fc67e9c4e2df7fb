import { describe, expect, test } from 'vitest';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import { WatchLog } from '../../src/node/watch-log.ts';
import type { WatchLogLimits } from '../../src/node/watch-log.ts';
import { Watches } from '../../src/node/watches.ts';
import type { WatchTarget } from '../../src/wire/client-messages.ts';

const ALL: WatchTarget = { name: null, prefix: '' };

function granted(name: string, token: number): LockEvent {
  const about = { session: '7-abc', acquireSeq: 1, slots: [], value: null } as const;
  return { type: 'granted', ...about, token, names: [name] };
}

/** Watches of a leader that applies what the test says; a round is confirmed when it says so. */
function setUp(limits?: WatchLogLimits) {
  const soon: (() => void)[] = [];
  const rounds: ((isConfirmed: boolean) => void)[] = [];
  const state = { applied: 10 };
  const log = new WatchLog(10, limits);
  const watches = new Watches({
    log,
    soon: (callback) => soon.push(callback),
    appliedIndex: () => state.applied,
    confirm: (done) => rounds.push(done),
  });
  const apply = (...names: readonly string[]): void => {
    state.applied += 1;
    watches.publish(
      state.applied,
      names.map((name) => granted(name, state.applied)),
    );
  };
  /** One turn of the loop. */
  const turn = (): void => {
    for (const callback of soon.splice(0)) callback();
  };
  const confirm = (isConfirmed = true): void => {
    turn();
    for (const done of rounds.splice(0)) done(isConfirmed);
  };
  const watch = (target: WatchTarget, after: number | null) => {
    const heard: string[] = [];
    const stop = watches.add(target, after, {
      onStart: (revision, isComplete) => heard.push(`start ${revision} ${isComplete}`),
      onEvents: (revision, events) =>
        heard.push(`${revision} ${events.map(({ name }) => name).join(' ')}`),
      onOver: (code) => heard.push(code),
    });
    return { heard, stop };
  };
  return { watches, log, rounds, apply, turn, confirm, watch };
}

describe('a watch', () => {
  test('begins after a round, and hears of everything from then on, entry by entry', () => {
    const s = setUp();
    const { heard } = s.watch(ALL, null);
    s.apply('a');
    s.turn();
    expect(heard).toEqual([]);
    s.confirm();
    s.apply('b', 'c');
    s.apply('d');
    expect(heard).toEqual(['start 11 true', '12 b c', '13 d']);
  });

  test('is about one name, or about all with a prefix', () => {
    const s = setUp();
    const one = s.watch({ name: 'a/1', prefix: '' }, null);
    const some = s.watch({ name: null, prefix: 'a/' }, null);
    const other = s.watch({ name: null, prefix: 'a/1/' }, null);
    s.confirm();
    s.apply('a/1', 'a', 'a/2');
    s.apply('b');
    expect(one.heard.slice(1)).toEqual(['11 a/1']);
    expect(some.heard.slice(1)).toEqual(['11 a/1 a/2']);
    expect(other.heard.slice(1)).toEqual([]);
  });

  test('that is stopped hears nothing more, whether it had begun or not', () => {
    const s = setUp();
    const early = s.watch(ALL, null);
    early.stop();
    const asked = s.watch(ALL, null);
    s.turn();
    asked.stop();
    s.confirm();
    const late = s.watch(ALL, null);
    s.confirm();
    late.stop();
    s.apply('a');
    expect([early.heard, asked.heard, late.heard]).toEqual([[], [], ['start 10 true']]);
  });

  test('ends with the office, and with the node', () => {
    const s = setUp();
    const begun = s.watch(ALL, null);
    s.confirm();
    const asked = s.watch(ALL, null);
    s.watches.stepDown();
    s.confirm(false);
    s.apply('a');
    expect(begun.heard).toEqual(['start 10 true', 'NOT_LEADER']);
    expect(asked.heard).toEqual(['NOT_LEADER']);
    const last = s.watch(ALL, null);
    s.watches.stop();
    s.confirm(false);
    expect(last.heard).toEqual(['UNAVAILABLE']);
  });
});

describe('a watch that comes back', () => {
  test('hears what it missed and what comes, without a gap and nothing twice', () => {
    const s = setUp();
    for (let at = 0; at < 9_000; at++) s.apply(`k${at % 7}`);
    const { heard } = s.watch(ALL, 12);
    s.confirm();
    // Entries are applied while the past is told, a bounded amount a turn.
    for (let turn = 0; turn < 10; turn++) {
      s.apply('new');
      s.turn();
    }
    s.apply('last');
    expect(heard[0]).toBe('start 12 true');
    const revisions = heard.slice(1).map((line) => Number(line.split(' ')[0]));
    expect(revisions).toEqual(Array.from({ length: 9_010 + 11 - 12 }, (_, at) => 13 + at));
  });

  test('is told the past in several turns, one piece for each watch', () => {
    const s = setUp();
    for (let at = 0; at < 10_000; at++) s.apply('k');
    const first = s.watch(ALL, 10);
    const second = s.watch(ALL, 10);
    s.confirm();
    s.turn();
    expect([first.heard.length, second.heard.length]).toEqual([1 + 4_096, 1]);
    s.turn();
    expect([first.heard.length, second.heard.length]).toEqual([1 + 4_096, 1 + 4_096]);
  });

  test('from before what is remembered is told of the gap, and goes on from now', () => {
    const s = setUp({ eventsMax: 3, bytesMax: 10_000 });
    for (const name of ['a', 'b', 'c', 'd']) s.apply(name);
    const gone = s.watch(ALL, 10);
    const whole = s.watch(ALL, 11);
    s.confirm();
    s.turn();
    s.apply('e');
    expect(gone.heard).toEqual(['start 14 false', '15 e']);
    expect(whole.heard).toEqual(['start 11 true', '12 b', '13 c', '14 d', '15 e']);
  });

  test('and is overtaken while it is told the past is over, never told of half', () => {
    const s = setUp({ eventsMax: 6_000, bytesMax: 10_000_000 });
    for (let at = 0; at < 6_000; at++) s.apply('k');
    const { heard } = s.watch(ALL, 10);
    s.confirm();
    s.turn();
    for (let at = 0; at < 5_000; at++) s.apply('k');
    s.turn();
    expect(heard.at(-1)).toBe('OVERLOADED');
    expect(heard).toHaveLength(2 + 4_096);
  });

  test('with a revision of another history is told of a gap, and begins now', () => {
    const s = setUp();
    const { heard } = s.watch(ALL, 5_000);
    s.confirm();
    s.apply('a');
    expect(heard).toEqual(['start 10 false', '11 a']);
  });
});

describe('a watch of which nothing happens', () => {
  const QUIET: WatchTarget = { name: null, prefix: 'quiet/' };
  const limits = { eventsMax: 400, bytesMax: 10_000_000 };
  const busy = (s: ReturnType<typeof setUp>, events: number): void => {
    for (let at = 0; at < events; at++) {
      s.apply(`busy/${at % 9}`);
      s.turn();
    }
  };

  test('comes back after 20,000 events elsewhere, and has no gap', () => {
    const s = setUp(limits);
    const { heard, stop } = s.watch(QUIET, null);
    s.confirm();
    busy(s, 20_000);
    stop();
    const seen = Number(heard.at(-1)?.split(' ')[0]);
    const back = s.watch(QUIET, seen);
    s.confirm();
    s.turn();
    expect(back.heard[0]).toBe(`start ${seen} true`);
    // Once for each quarter of what is remembered, not for each event.
    expect(heard).toHaveLength(1 + 20_000 / 100 - 1);
  });

  test('is told how far it is when it has read the past, lest the past be forgotten', () => {
    const s = setUp(limits);
    busy(s, 300);
    const { heard } = s.watch(QUIET, 12);
    s.confirm();
    s.turn();
    expect(heard).toEqual(['start 12 true', '310 ']);
    s.apply('quiet/a');
    expect(heard.slice(2)).toEqual(['311 quiet/a']);
  });

  test('is told nothing else while others hear of what they watch', () => {
    const s = setUp(limits);
    const { heard } = s.watch({ name: null, prefix: 'busy/' }, null);
    s.confirm();
    busy(s, 2_000);
    expect(heard).toHaveLength(1 + 2_000);
    expect(heard.filter((line) => line.endsWith(' '))).toEqual([]);
  });

  test('of very many the first are told in this turn, the others in the next', () => {
    const s = setUp(limits);
    const all = Array.from({ length: 5_000 }, () => s.watch(QUIET, null));
    s.confirm();
    // The first round begins a lag, the second one ends it.
    for (let at = 0; at < 200; at++) s.apply('busy');
    const told = (): number => all.filter(({ heard }) => heard.length > 1).length;
    expect(told()).toBe(0);
    s.turn();
    expect(told()).toBe(4_096);
    all.at(-1)?.stop();
    s.turn();
    expect(told()).toBe(4_999);
  });

  test('one entry beyond all that is remembered is progress too', () => {
    const s = setUp({ eventsMax: 4, bytesMax: 10_000 });
    const { heard } = s.watch(QUIET, null);
    s.confirm();
    for (let at = 0; at < 3; at++) {
      s.apply('b1', 'b2', 'b3', 'b4', 'b5');
      s.turn();
    }
    expect(heard.slice(1)).toEqual(['11 ', '12 ', '13 ']);
  });
});

describe('the log of events', () => {
  test('keeps the events of an entry together, and drops what alone is too much', () => {
    const s = setUp({ eventsMax: 4, bytesMax: 100_000 });
    s.apply('a');
    s.apply('b1', 'b2', 'b3');
    expect(s.log.floor).toBe(10);
    s.apply('c');
    expect(s.log.floor).toBe(11);
    expect(s.log.next(11)).toMatchObject({ revision: 12, events: [{}, {}, {}] });
    s.apply('d1', 'd2', 'd3', 'd4', 'd5');
    expect([s.log.floor, s.log.next(14)]).toEqual([14, null]);
    s.apply('x'.repeat(50_000));
    s.apply('y'.repeat(50_000));
    expect(s.log.floor).toBe(15);
    expect(s.log.next(15)?.revision).toBe(16);
  });

  test('G3 counts the slots of grants among what it keeps', () => {
    const { watches, log } = setUp({ eventsMax: 100, bytesMax: 100_000 });
    const slots = [Array.from({ length: 4_096 }, (_, at) => at)];
    const grant = { type: 'granted', session: '1-a', names: ['s'], value: null, slots } as const;
    for (let at = 0; at < 10; at++) {
      watches.publish(11 + at, [{ ...grant, acquireSeq: at + 1, token: 11 + at }]);
    }
    expect(log.floor).toBe(17);
  });

  test('leaves out what is about sessions alone', () => {
    const { watches, log } = setUp();
    watches.publish(11, [{ type: 'sessionOpened', session: '11-a', ttlMs: 1_000 }]);
    expect(log.next(10)).toBe(null);
  });
});
