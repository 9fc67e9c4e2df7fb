import { describe, expect, test } from 'vitest';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import { Rig, expectRefused, shared } from './rig.ts';
import type { Client } from './rig.ts';

const DONE = { code: 'DONE' };

/** "a" is held by one reader; a writer waits, and behind it two more readers. */
function writerBetweenReaders(): { rig: Rig; first: Client; writer: Client; late: Client[] } {
  const rig = new Rig();
  const [first, writer] = [rig.open(), rig.open()];
  const late = [rig.open(), rig.open()];
  rig.take(first, 'a', shared('a'));
  rig.acquire(writer, 'a');
  for (const reader of late) rig.acquire(reader, 'a', shared('a'));
  return { rig, first, writer, late };
}

describe('a shared lock', () => {
  test('INV-15 is held by many together, each with a grant and token of its own', () => {
    const rig = new Rig();
    const readers = Array.from({ length: 40 }, () => rig.open());
    const tokens = readers.map((reader) => rig.take(reader, 'a', shared('a')));
    expect(rig.holders('a')).toEqual(readers.map((reader) => reader.id));
    expect(rig.tokens('a')).toEqual(tokens);
    expect(rig.machine.inspect('a').holders[7]).toMatchObject({ mode: 'shared', slots: [] });
    for (const [at, reader] of readers.entries()) rig.release(reader, 'a', tokens[at] ?? 0);
    expect(rig.machine.lockCount()).toBe(0);
  });

  test('INV-15 is refused to a writer while it is held, and to readers while one writes', () => {
    const rig = new Rig();
    const [one, two, other] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(one, 'a', shared('a'));
    rig.take(two, 'a', shared('a'));
    const busy = rig.acquire(other, 'a', { waitMs: 0 });
    expect(busy).toMatchObject({ code: 'LOCK_BUSY', holder: { token, mode: 'shared' } });
    rig.close(one);
    rig.close(two);
    const written = rig.take(other, 'a');
    const reading = rig.acquire(rig.open(), 'a', { ...shared('a'), waitMs: 0 });
    expect(reading).toMatchObject({ code: 'LOCK_BUSY', holder: { token: written } });
  });

  test('INV-19 a reader waits behind a writer that waits for readers', () => {
    const { rig, first, writer, late } = writerBetweenReaders();
    expect(rig.holders('a')).toEqual([first.id]);
    expect(rig.waiters('a')).toEqual([writer.id, ...late.map((reader) => reader.id)]);
    const writerIndex = rig.machine.inspect('a').waiters[0]?.index;
    expect(rig.acquire(rig.open(), 'a', { ...shared('a'), waitMs: 0 })).toEqual({
      code: 'LOCK_BUSY',
      name: 'a',
      holder: null,
      ghost: null,
      aheadIndex: writerIndex,
    });
  });

  test('INV-16 goes to a writer when its last reader leaves; the readers behind go in together', () => {
    const { rig, first, writer, late } = writerBetweenReaders();
    const read = rig.tokens('a')[0] ?? 0;
    rig.release(first, 'a', read);
    const written = rig.index;
    expect([rig.holders('a'), rig.tokens('a')]).toEqual([[writer.id], [written]]);
    expect(written).toBeGreaterThan(read);
    rig.release(writer, 'a', written);
    expect(rig.holders('a')).toEqual(late.map((reader) => reader.id));
    expect(rig.tokens('a')).toEqual([rig.index, rig.index]);
    expect(rig.waiters('a')).toEqual([]);
  });

  test('M-71 LIV-6 a writer that gives up lets the readers behind it in, in the same entry', () => {
    for (const giveUp of ['cancel', 'withdraw', 'close', 'expire', 'endSession'] as const) {
      const { rig, first, writer, late } = writerBetweenReaders();
      if (giveUp === 'cancel' || giveUp === 'withdraw')
        expect(rig[giveUp](writer, 1)).toEqual(DONE);
      else expect(rig[giveUp](writer)).toEqual(DONE);
      expect(rig.holders('a')).toEqual([first.id, ...late.map((reader) => reader.id)]);
      expect(rig.tokens('a').slice(1)).toEqual([rig.index, rig.index]);
    }
  });

  test('C3 a waiting writer whose session is killed leaves; only the next writer gets in', () => {
    const rig = new Rig();
    const [reader, two, three] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(reader, 'a', shared('a'));
    rig.acquire(two, 'a');
    rig.acquire(three, 'a');
    rig.endSession(two);
    expect(rig.holders('a')).toEqual([reader.id]);
    rig.release(reader, 'a', token);
    expect(granted(rig.events)).toEqual([three.id]);
    expect([rig.holders('a'), rig.waiters('a')]).toEqual([[three.id], []]);
  });

  test('M-74 C6 grants of one session that share a token are told apart by their acquire', () => {
    const { rig, client, token } = twins();
    expectRefused(
      rig.release(client, 'a', token),
      'INVALID',
      /acquireSeq must be given: .* 2 grants/,
    );
    expect(rig.tokens('a')).toEqual([token, token]);
    expect(rig.release(client, 'a', token, 2)).toEqual(DONE);
    expect(rig.events).toMatchObject([{ type: 'freed', acquireSeq: 2 }]);
    expect(rig.machine.inspect('a').holders.map((one) => one.acquireSeq)).toEqual([1]);
    expectRefused(rig.release(client, 'a', token, 2), 'NOT_HOLDER', /held with token/);
    expect(rig.release(client, 'a', token)).toEqual(DONE);
  });

  test('M-74 a release frees nothing of another session that has the same token', () => {
    const rig = new Rig();
    const [writer, one, two] = [rig.open(), rig.open(), rig.open()];
    const written = rig.take(writer, 'a');
    rig.acquire(one, 'a', shared('a'));
    rig.acquire(two, 'a', shared('a'));
    rig.release(writer, 'a', written);
    const token = rig.index;
    expect(rig.tokens('a')).toEqual([token, token]);
    for (const acquireSeq of [null, 1]) {
      expectRefused(rig.release(writer, 'a', token, acquireSeq), 'NOT_HOLDER', /does not hold/);
    }
    rig.release(two, 'a', token);
    expect(rig.holders('a')).toEqual([one.id]);
  });

  test('a break frees all grants with the token, or those of the session that it names', () => {
    const { rig, client, token } = twins();
    const other = rig.open();
    const later = rig.take(other, 'a', shared('a'));
    expectRefused(rig.breakLock('a', token, other.id), 'NOT_HOLDER', /does not hold/);
    expect(rig.breakLock('a', token, client.id)).toEqual(DONE);
    expect(rig.events).toMatchObject([
      { type: 'freed', acquireSeq: 1, cause: 'broken' },
      { type: 'freed', acquireSeq: 2, cause: 'broken' },
    ]);
    expect(rig.tokens('a')).toEqual([later]);
  });

  test('a break frees all that it frees before it grants anything', () => {
    const rig = new Rig();
    const [reader, other, early, late] = [rig.open(), rig.open(), rig.open(), rig.open()];
    const writer = rig.open();
    const written = rig.take(writer, 'a');
    rig.acquire(reader, ['a', 'b'], shared('a', 'b'));
    rig.acquire(other, 'a', shared('a'));
    rig.release(writer, 'a', written);
    const token = rig.index;
    rig.acquire(early, 'a');
    rig.acquire(late, 'b');
    rig.breakLock('a', token);
    expect(rig.events).toMatchObject([
      { type: 'freed', session: reader.id },
      { type: 'freed', session: other.id },
      { type: 'granted', session: early.id },
      { type: 'granted', session: late.id },
    ]);
  });

  test('one request may want some names shared and others alone, and gets all or none', () => {
    const rig = new Rig();
    const [one, two] = [rig.open(), rig.open()];
    const a = { name: 'a', mode: 'shared', permits: null } as const;
    const b = { name: 'b', mode: 'exclusive', permits: null } as const;
    const token = rig.take(one, [], { items: [a, b] });
    expect(rig.acquire(two, [], { items: [a, b], waitMs: 0 })).toMatchObject({ name: 'b' });
    expect(rig.holders('a')).toEqual([one.id]);
    rig.acquire(two, [], { items: [a, b] });
    expect([rig.holders('a'), rig.waiters('a')]).toEqual([[one.id], [two.id]]);
    rig.release(one, 'a', token);
    expect([rig.holders('a'), rig.holders('b')]).toEqual([[two.id], [two.id]]);
  });
});

test('grants of one session to several names in one pass each have that token', () => {
  const { rig, client, token } = twins();
  expect([1, 2].map((seq) => rig.machine.tokenOf(client.id, seq))).toEqual([token, token]);
  expect(rig.machine.session(client.id)?.held).toBe(2);
});

/** A session that was granted "a" shared twice by one entry. */
function twins(): { rig: Rig; client: Client; token: number } {
  const rig = new Rig();
  const [client, writer] = [rig.open(), rig.open()];
  const written = rig.take(writer, 'a');
  rig.acquire(client, 'a', shared('a'));
  rig.acquire(client, 'a', shared('a'));
  rig.release(writer, 'a', written);
  return { rig, client, token: rig.index };
}

function granted(events: readonly LockEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'granted' ? [event.session] : []));
}
