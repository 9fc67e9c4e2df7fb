import { describe, expect, test } from 'vitest';
import { Inflights } from '../../../src/raft/inflights.ts';
import { Progress } from '../../../src/raft/progress.ts';
import { member, SETTINGS } from './fixtures.ts';

function progressOf(lastIndex: number, anchorIndex = 0): Progress {
  return progressBehind({ anchorIndex, lastIndex });
}

function progressBehind(log: { anchorIndex: number; lastIndex: number }): Progress {
  return new Progress(member('n2'), { log, nowUs: 5, settings: SETTINGS });
}

describe('probing', () => {
  test('begins behind our last entry and counts the election as an answer', () => {
    const progress = progressOf(9);
    expect([progress.state, progress.next, progress.matchIndex]).toEqual(['probe', 10, 0]);
    expect(progress.lastAckSentUs).toBe(5);
  });

  test('a rejection moves next back to the candidate, never up and never to the match', () => {
    const progress = progressOf(9);
    progress.onRejected({ rejectedPrev: 9, candidate: 5 });
    expect(progress.next).toBe(6);
    progress.onRejected({ rejectedPrev: 5, candidate: 8 });
    expect(progress.next).toBe(5);
    progress.onRejected({ rejectedPrev: 4, candidate: 0 });
    expect(progress.next).toBe(1);
  });

  test('a rejection of another probe than the last one is stale', () => {
    const progress = progressOf(9);
    progress.isPaused = true;
    progress.onRejected({ rejectedPrev: 7, candidate: 2 });
    expect([progress.next, progress.isPaused]).toEqual([10, true]);
  });

  test('R-39 an acknowledgement that is not news ends probing as well', () => {
    const progress = progressOf(9);
    progress.onAccepted(9, 1);
    progress.onUnreachable();
    expect(progress.state).toBe('probe');
    progress.onAccepted(9, 1);
    expect([progress.state, progress.next]).toEqual(['replicate', 10]);
  });

  test('R-53 a node that refuses what every log begins with is blank, until it has something', () => {
    const progress = progressOf(9);
    progress.onRejected({ rejectedPrev: 9, candidate: 0 });
    expect(progress.hasNoLog).toBe(false);
    progress.onRejected({ rejectedPrev: 0, candidate: 0 });
    expect(progress.hasNoLog).toBe(true);
    progress.becomeSnapshot(7);
    expect(progress.hasNoLog).toBe(false);
    progress.onAccepted(9, 1);
    progress.onRejected({ rejectedPrev: 0, candidate: 0 });
    expect([progress.state, progress.hasNoLog]).toEqual(['replicate', false]);
  });

  test('a node that refuses even the anchor needs what was compacted', () => {
    const progress = progressOf(1_000, 1_000);
    progress.onRejected({ rejectedPrev: 1_000, candidate: 0 });
    expect([progress.next, progress.isPaused]).toEqual([1, false]);
  });

  test('begins again at the anchor of now, for it may have more than it told', () => {
    const log = { anchorIndex: 0, lastIndex: 9 };
    const progress = progressBehind(log);
    progress.onAccepted(4, 1);
    log.anchorIndex = 6;
    progress.onUnreachable();
    expect([progress.state, progress.next]).toEqual(['probe', 7]);
    // A late answer that does not join the log says nothing of what was asked.
    progress.onAccepted(4, 1);
    expect([progress.state, progress.next]).toEqual(['probe', 7]);
    progress.onAccepted(6, 1);
    expect([progress.state, progress.next]).toEqual(['replicate', 7]);
  });
});

describe('replicating', () => {
  test('R-37 a late rejection never moves next to or below the match', () => {
    const progress = progressOf(9);
    progress.onAccepted(6, 1);
    progress.next = 10;
    progress.onRejected({ rejectedPrev: 6, candidate: 2 });
    expect([progress.state, progress.next]).toEqual(['replicate', 10]);
    progress.onRejected({ rejectedPrev: 9, candidate: 2 });
    expect([progress.state, progress.next]).toEqual(['probe', 7]);
    progress.onRejected({ rejectedPrev: 6, candidate: 2 });
    expect(progress.next).toBe(7);
  });

  test('a stale acknowledgement changes nothing', () => {
    const progress = progressOf(9);
    progress.onAccepted(6, 1);
    progress.onAccepted(3, 1);
    expect([progress.matchIndex, progress.next]).toEqual([6, 7]);
  });

  test('a lost connection forgets the window and waits', () => {
    const progress = progressOf(9);
    progress.onAccepted(6, 1);
    progress.inflights.add(9, 100);
    progress.next = 10;
    progress.onUnreachable();
    expect([progress.state, progress.next, progress.isPaused]).toEqual(['probe', 7, true]);
    expect(progress.inflights.count).toBe(0);
  });
});

describe('log loss', () => {
  test('R-46 an answer to a round older than the acknowledgement proves nothing', () => {
    const progress = progressOf(9);
    progress.onRound(2);
    progress.onAccepted(9, 1);
    expect(progress.hasLost(2, 4)).toBe(false);
  });

  test('an answer to a later round that shows less on disk is a proof', () => {
    const progress = progressOf(9);
    progress.onRound(2);
    progress.onAccepted(9, 1);
    progress.onHeard(2, 0);
    progress.onRound(3);
    expect(progress.hasLost(2, 4)).toBe(false);
    expect(progress.hasLost(3, 9)).toBe(false);
    expect(progress.hasLost(3, 8)).toBe(true);
  });

  test('what was lost is not counted any more', () => {
    const progress = progressOf(9);
    progress.onAccepted(9, 1);
    progress.isLost = true;
    expect(progress.countedMatch).toBe(0);
  });
});

test('R-38 the window is full by number or by bytes, and is freed in order', () => {
  const window = new Inflights(3, 1_000);
  window.add(4, 10);
  window.add(6, 10);
  window.add(9, 10);
  expect(window.isFull).toBe(true);
  window.freeTo(3);
  expect(window.count).toBe(3);
  window.freeTo(6);
  expect([window.count, window.bytes]).toEqual([1, 10]);
  window.add(12, 2_000);
  expect(window.isFull).toBe(true);
  window.freeTo(12);
  expect([window.count, window.bytes]).toEqual([0, 0]);
});
