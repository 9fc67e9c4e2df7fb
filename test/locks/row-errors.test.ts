// Rows come from disks and from other nodes: whatever cannot be is refused, and the message says
// what was expected and what came.

import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createMachineLoader } from '../../src/locks/loader.ts';
import type { Row, RowValue } from '../../src/locks/machine-types.ts';
import { RowError } from '../../src/locks/row-reader.ts';
import { loaded, sortedRows } from './loading-rig.ts';
import { Rig, permits, shared } from './rig.ts';

const [one, two, nine] = [1, 2, 9].map((value) => String(value).padStart(14, '0'));
const LIMITS = [1_000, 600_000, 60_000, 4_096, 64, 10_000, 512, 4_096, 1_000_000, 1_024];
const SESSION = ['nnnnnnnnnnnnnnn0', 15_000, 0, 'worker', '{}', 1_000, 3, true];
const GHOST = ['1-nnnnnnnnnnnnnnn1', 'worker', 4, 100, 'exclusive', null, []];
const open: Row = { key: `s/${one}`, value: SESSION };

function grant(seq: number, items: RowValue, [token, slots = []]: RowValue[]): Row {
  const value = [5, 1, '{}', null, 0, items, token ?? 5, slots];
  return { key: `s/${one}/g/${String(seq).padStart(14, '0')}`, value };
}

function waiter(seq: number, items: RowValue, index = 6): Row {
  const value = [index, 1, '{}', null, 0, items, null];
  return { key: `s/${one}/w/${String(seq).padStart(14, '0')}`, value };
}

function ghost(key: string, value: RowValue): Row {
  return { key: `d/${nine}/${one}/${key}`, value };
}

function changed(value: readonly RowValue[], at: number, part: RowValue): readonly RowValue[] {
  return value.map((each, place) => (place === at ? part : each));
}

const A = [['a', 'exclusive', null]];
const SEMAPHORE = [['s', 'exclusive', [2, 3]]];
const record = (answer: RowValue): Row => ({ key: `s/${one}/r/${nine}`, value: [7, answer] });

describe('rows that cannot be', () => {
  const cases: readonly (readonly [string, readonly Row[], RegExp])[] = [
    ['an unknown kind', [{ key: 'x', value: 1 }], /"x": expected a key of a session/],
    ['a short number', [{ key: 's/1', value: SESSION }], /14 hex digits, got "1"/],
    ['upper case', [{ key: 's/0000000000000A', value: SESSION }], /14 hex digits/],
    ['a number above 2^53', [{ key: 's/ffffffffffffff', value: SESSION }], /14 hex digits/],
    ['no list', [{ key: open.key, value: 'x' }], /its value as a list, got "x", a string/],
    ['a field too few', [{ ...open, value: SESSION.slice(0, 7) }], /a list of more than 7/],
    ['a field too many', [{ ...open, value: [...SESSION, 1] }], /a list of 8, got one of 9/],
    ['a TTL that is no number', [{ ...open, value: changed(SESSION, 1, '9') }], /the TTL from 1/],
    ['no nonce', [{ ...open, value: changed(SESSION, 0, 'n') }], /expected a nonce, got "n"/],
    ['a lone surrogate', [{ ...open, value: changed(SESSION, 3, '\ud800') }], /well-formed text/],
    ['a fraction', [{ ...open, value: changed(SESSION, 6, 0.5) }], /acknowledged from 0/],
    ['a mark that is no flag', [{ ...open, value: changed(SESSION, 7, 1) }], /true or false/],
    ['a nonce twice', [open, { ...open, key: `s/${two}` }], /a nonce of its own, got that of 1-/],
    ['no session', [grant(1, A, [5])], /a row s\/0+1 before it, got none/],
    ['another session', [open, { ...grant(1, A, [5]), key: `s/${two}/g/${one}` }], /s\/0+2 before/],
    ['an unknown piece', [open, { key: `s/${one}/x/${one}`, value: [] }], /g, r or w, got "x"/],
    ['a long key', [open, { key: `s/${one}/g/${one}/`, value: [] }], /expected/],
    ['keys out of order', [{ ...open, key: `s/${two}` }, open], /a key after "s\/0+2"/],
    ['a key twice', [open, open], /a key after/],
    ['two rows of one request', [open, grant(4, A, [5]), waiter(4, A)], /one row for a request/],
    ['no name', [open, grant(4, [], [5])], /at least one name, each once, got \[\]/],
    ['a name twice', [open, grant(4, [...A, ...A], [5])], /each once, got \["a", "a"\]/],
    ['a bad name', [open, grant(4, [['..', 'exclusive', null]], [5])], /name of a lock/],
    ['an unknown mode', [open, grant(4, [['a', 'alone', null]], [5])], /one of exclusive, shared/],
    ['too many permits', [open, grant(4, [['s', 'exclusive', [4, 3]]], [5])], /in total from 4/],
    ['a token before its acquire', [open, grant(4, A, [4])], /the token from 5/],
    ['two holders', [open, grant(4, A, [5]), grant(5, A, [5])], /"a" to be free for it/],
    ['two kinds', [open, grant(4, A, [5]), waiter(5, [['a', 'exclusive', [1, 2]]])], /one kind/],
    ['slots of a lock', [open, grant(4, A, [5, [[0]]])], /slots of 0 names, got those of 1/],
    ['too few slots', [open, grant(4, SEMAPHORE, [5, [[0]]])], /2 free slots below 3, got \[0\]/],
    ['a slot too high', [open, grant(4, SEMAPHORE, [5, [[0, 3]]])], /2 free slots below 3/],
    ['a slot twice', [open, grant(4, SEMAPHORE, [5, [[1, 1]]])], /the slot from 2/],
    ['a slot of two', twoOfSlot(), /1 free slots below 3, got \[1\]/],
    ['one entry waits twice', [open, waiter(4, A), waiter(5, A)], /one waiter of an entry/],
    ['a waiter for what is free', [open, waiter(4, A)], /nobody to wait for what is free/],
    ['an answer acknowledged', [open, { ...record(['DONE']), key: `s/${one}/r/${two}` }], /kept/],
    ['an unknown answer', [open, record(['GRANTED', 5, []])], /the code, one of DONE/],
    ['half an answer', [open, record(['ENDED', 'released'])], /a list of more than 2/],
    [
      'limits out of range',
      [{ key: 'rules', value: [LIMITS.fill(0, 3, 3), LIMITS, null] }],
      /none, for all/,
    ],
    [
      'rules that change nothing',
      [{ key: 'rules', value: [LIMITS, LIMITS, null] }],
      /none, for all/,
    ],
    [
      'a TTL of years',
      [{ key: 'rules', value: [changed(LIMITS, 1, 1e11), LIMITS, null] }],
      /86400000/,
    ],
    ['lower highest', [{ key: 'rules', value: [LIMITS, changed(LIMITS, 3, 9), null] }], /highest/],
    ['a ghost of another session', [ghost(`${two}/a`, changed(GHOST, 0, '3-x'))], /by entry 1/],
    ['a ghost closed before', [ghost(`${two}/a`, changed(GHOST, 2, 9))], /the token from 2 to 8/],
    ['a ghost without name', [ghost(`${two}/`, GHOST)], /the name of a lock/],
    ['two ghosts of one lock', [ghost(`${one}/a`, GHOST), ghost(`${two}/a`, GHOST)], /to be free/],
    [
      'ghosts that disagree',
      [ghost(`${one}/a`, GHOST), ghost(`${one}/b`, changed(GHOST, 3, 7))],
      /same grant/,
    ],
    ['a ghost of the living', livingGhost(), /a ghost of a session that ended, got 1-n+1/],
  ];
  test.each(cases)('%s', (_name, rows, message) => {
    const load = () => loaded(rows, DEFAULT_LIMITS);
    expect(load).toThrow(RowError);
    expect(load).toThrow(message);
  });
});

test('a machine is not there before all was looked through', () => {
  const rig = new Rig();
  const [holder, waiting] = [rig.open(), rig.open()];
  for (const name of ['a', 'b', 'c']) rig.take(holder, name);
  for (const name of ['a', 'b', 'c']) rig.acquire(waiting, name);
  const loader = createMachineLoader(DEFAULT_LIMITS);
  loader.add(sortedRows(rig.machine));
  expect(loader.count).toBe(8);
  expect(() => loader.machine()).toThrow(/looked through/);
  expect([loader.finish(3), loader.finish(3)]).toEqual([false, true]);
  expect(loader.machine().lockCount()).toBe(3);
});

test('what it tells of the living is what an observer of the log was told', () => {
  const rig = new Rig();
  const [gone, holder, waiting] = [rig.open({ lockDelayMs: 70 }), rig.open(), rig.open()];
  rig.take(gone, [], { items: [...shared('a').items, permits('s', 1, 2)] });
  rig.take(holder, 'b');
  rig.expire(gone);
  const delayed = rig.events.filter(({ type }) => type === 'delayed');
  rig.acquire(waiting, ['b', 'c'], { waitMs: 900 });
  const opened = (session: string) => ({ type: 'sessionOpened', session, ttlMs: 15_000 });
  const twin = loaded(sortedRows(rig.machine), DEFAULT_LIMITS);
  expect([...twin.living()].filter((fact) => fact !== null)).toEqual([
    opened(holder.id),
    opened(waiting.id),
    { type: 'queued', session: waiting.id, acquireSeq: 1, waitMs: 900, names: ['b', 'c'] },
    ...delayed,
  ]);
});

test('what it tells of very many that have no deadline comes in small steps', () => {
  const rig = new Rig();
  const client = rig.open();
  for (let count = 0; count < 60; count++) rig.take(client, `lock/${count}`);
  const told = [...loaded(sortedRows(rig.machine), DEFAULT_LIMITS).living()];
  expect(told.filter((fact) => fact === null)).toHaveLength(60);
});

function twoOfSlot(): readonly Row[] {
  const items = [['s', 'exclusive', [1, 3]]];
  return [open, grant(4, items, [5, [[1]]]), grant(5, items, [5, [[1]]])];
}

function livingGhost(): readonly Row[] {
  return [ghost(`${one}/a`, GHOST), { ...open, value: changed(SESSION, 0, 'nnnnnnnnnnnnnnn1') }];
}
