import { describe, expect, test } from 'vitest';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import { EventRing } from '../../src/node/event-ring.ts';

const about = { session: '7-abc', acquireSeq: 3, token: 2 ** 40, names: ['a'] };
const grant: LockEvent = { type: 'granted', ...about, slots: [], value: null };
const release: LockEvent = { type: 'freed', ...about, cause: 'released', reason: '' };

describe('the events of entries by places', () => {
  test.each<readonly [string, readonly LockEvent[]]>([
    ['a grant', [grant]],
    ['a release', [release]],
    ['a grant with a value', [{ ...grant, value: 'v' }]],
    ['a grant of several names', [{ ...grant, names: ['a', 'b'] }]],
    ['a grant of slots', [{ ...grant, slots: [[0, 1]] }]],
    ['an end by an operator', [{ ...release, cause: 'broken', reason: 'me: because' }]],
    ['an end by an expiry', [{ ...release, cause: 'expired' }]],
    ['a release of several names', [{ ...release, names: ['a', 'b'] }]],
    ['a waiter', [{ type: 'queued', session: 's', acquireSeq: 1, waitMs: null, names: ['a'] }]],
    ['a release, and the grant that follows', [release, grant]],
  ])('are told as they came: %s', (_, events) => {
    const ring = new EventRing();
    ring.put(0, 5, [grant]);
    ring.put(1, 6, events);
    ring.put(2, 7, [release, grant]);
    expect([ring.revisionAt(1), ring.countAt(1), ring.eventsAt(1)]).toEqual([
      6,
      events.length,
      events,
    ]);
    expect([ring.countAt(0), ring.countAt(2)]).toEqual([1, 2]);
    for (const other of [[grant], [release], [release, grant]]) {
      ring.drop(1);
      ring.put(1, 8, other);
      expect([ring.revisionAt(1), ring.countAt(1), ring.eventsAt(1)]).toEqual([
        8,
        other.length,
        other,
      ]);
    }
  });

  test.each([grant, release])('and nothing of them is kept that was dropped', (event) => {
    const ring = new EventRing();
    ring.put(0, 5, [event]);
    ring.drop(0);
    expect([ring.countAt(0), ring.eventsAt(0)]).toEqual([0, []]);
    expect(JSON.stringify(ring)).not.toMatch(/7-abc|"a"/);
  });
});
