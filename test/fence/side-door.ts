// What a protected table must refuse, whatever database it is in: every write of a path that forgot
// to present, and every way in which a presentation could be found by somebody else.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FenceClaim } from '../../src/fence/claim.ts';

/** One connection of a database that has the guard, and an open table `things (id, value)`. */
export interface DoorWorld {
  /** Sends a statement as any program would. */
  ask(sql: string): Promise<void>;
  /** What is in `things`: `a=1 b=2`, in the order of ids. */
  things(): Promise<string>;
  /** Presents in the transaction that is open. */
  present(resource: string, claim: FenceClaim): Promise<void>;
  /** Commits, as a program that uses the guard does. */
  commit(): Promise<void>;
  protect(table: string, resource: string): Promise<void>;
  unprotect(table: string): Promise<void>;
  close(): Promise<void>;
}

const REFUSED = /NOT_PRESENTED: table .*things.* is protected/;
const WRITES = [
  "INSERT INTO things VALUES ('c', '1')",
  "UPDATE things SET value = '2' WHERE id = 'a'",
  "UPDATE things SET value = '2'",
  "DELETE FROM things WHERE id = 'a'",
  'DELETE FROM things',
];

/** Runs the suite; `open` resolves with things a=1 and b=1. */
export function runSideDoors(name: string, open: () => Promise<DoorWorld>): void {
  describe(`a protected table of ${name}`, () => {
    let door: DoorWorld;
    beforeEach(async () => {
      door = await open();
    });
    afterEach(() => door.close());

    test('it is closed to whoever presents nothing, in a transaction or not', () => closed(door));
    test('it is open to rows of what was presented, and to no others', () => ownRows(door));
    test('a row is not moved to, or from, what was not presented', () => moved(door));
    test('a resource without columns opens the whole table', () => whole(door));
    test('a row that names no resource is closed to all', () => nameless(door));
    test('what a connection presented is over with its transaction', () => leftOver(door));
    test('a stale token opens nothing', () => stale(door));
    test('a shared token and a slot open it as an exclusive one does', () => modes(door));
    test('presenting in no transaction is refused and changes nothing', () => outside(door));
    test('what is taken back to a savepoint is closed again', () => savepoint(door));
    test('it is protected once, and can be opened for good', () => again(door));
    test('a table that cannot be protected is told so', () => impossible(door));
  });
}

async function closed(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  for (const sql of WRITES) {
    await expect(door.ask(sql), sql).rejects.toThrow(REFUSED);
    await door.ask('BEGIN');
    await expect(door.ask(sql), sql).rejects.toThrow(REFUSED);
    await door.ask('ROLLBACK');
  }
  expect(await door.things()).toBe('a=1 b=1');
}

async function ownRows(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  await door.ask('BEGIN');
  await door.present('a', { token: 5 });
  await door.ask("UPDATE things SET value = '2' WHERE id = 'a'");
  await door.ask("DELETE FROM things WHERE id = 'a'");
  await door.ask("INSERT INTO things VALUES ('a', '3')");
  await door.commit();
  expect(await door.things()).toBe('a=3 b=1');
  for (const sql of ["UPDATE things SET value = '4'", "INSERT INTO things VALUES ('c', '4')"]) {
    await door.ask('BEGIN');
    await door.present('a', { token: 5 });
    await expect(door.ask(sql), sql).rejects.toThrow(REFUSED);
    await door.ask('ROLLBACK');
  }
  await door.ask('BEGIN');
  await door.present('a', { token: 5 });
  await door.present('b', { token: 4 });
  await door.ask("UPDATE things SET value = '5'");
  await door.commit();
  expect(await door.things()).toBe('a=5 b=5');
}

async function moved(door: DoorWorld): Promise<void> {
  await door.protect('things', 'things/{id}');
  for (const own of ['a', 'c']) {
    await door.ask('BEGIN');
    await door.present(`things/${own}`, { token: 5 });
    const move = "UPDATE things SET id = 'c' WHERE id = 'a'";
    await expect(door.ask(move), own).rejects.toThrow(REFUSED);
    await door.ask('ROLLBACK');
  }
  await door.ask('BEGIN');
  await door.present('things/a', { token: 5 });
  await door.present('things/c', { token: 5 });
  await door.ask("UPDATE things SET id = 'c' WHERE id = 'a'");
  await door.commit();
  expect(await door.things()).toBe('b=1 c=1');
}

async function whole(door: DoorWorld): Promise<void> {
  await door.protect('things', "the things' \\ lock");
  await door.ask('BEGIN');
  await door.present("the things' \\ lock", { token: 5 });
  await door.ask("UPDATE things SET value = '2'");
  await door.commit();
  expect(await door.things()).toBe('a=2 b=2');
  await door.ask('BEGIN');
  await door.present('a', { token: 5 });
  await expect(door.ask('DELETE FROM things')).rejects.toThrow(REFUSED);
  await door.ask('ROLLBACK');
}

async function nameless(door: DoorWorld): Promise<void> {
  await door.protect('things', 'by/{value}');
  await door.ask('BEGIN');
  await door.present('by/', { token: 5 });
  await door.present('by/1', { token: 5 });
  await expect(door.ask("INSERT INTO things VALUES ('c', NULL)")).rejects.toThrow(REFUSED);
  await door.ask('ROLLBACK');
}

/** A pool gives the same connection to whoever comes next. */
async function leftOver(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  const write = "UPDATE things SET value = '2' WHERE id = 'a'";
  for (const end of ['commit', 'rollback']) {
    await door.ask('BEGIN');
    await door.present('a', { token: 5 });
    await (end === 'commit' ? door.commit() : door.ask('ROLLBACK'));
    await expect(door.ask(write), end).rejects.toThrow(REFUSED);
    await door.ask('BEGIN');
    await expect(door.ask(write), end).rejects.toThrow(REFUSED);
    await door.ask('ROLLBACK');
  }
  // A transaction that begins where one was left open ends it, or is refused.
  await door.ask('BEGIN');
  await door.present('a', { token: 6 });
  await door.commit();
  await door.ask('BEGIN');
  await door.ask("SELECT value FROM things WHERE id = 'a'");
  await expect(door.ask(write)).rejects.toThrow(REFUSED);
  await door.ask('ROLLBACK');
  expect(await door.things()).toBe('a=1 b=1');
}

async function stale(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  await door.ask('BEGIN');
  await door.present('a', { token: 6 });
  await door.commit();
  await door.ask('BEGIN');
  await expect(door.present('a', { token: 5 })).rejects.toMatchObject({ code: 'STALE_TOKEN' });
  // PostgreSQL has ended the transaction already; others go on, and are stopped at the table.
  const write = door.ask("UPDATE things SET value = '2' WHERE id = 'a'");
  await expect(write).rejects.toThrow(/NOT_PRESENTED|current transaction is aborted/);
  await door.ask('ROLLBACK');
  expect(await door.things()).toBe('a=1 b=1');
}

async function modes(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  const claims: readonly FenceClaim[] = [
    { token: 5, mode: 'shared' },
    { token: 6, slots: [2, 0] },
  ];
  for (const [at, claim] of claims.entries()) {
    await door.ask('BEGIN');
    await door.present('a', claim);
    await door.ask(`UPDATE things SET value = 'by ${at}' WHERE id = 'a'`);
    await door.commit();
  }
  expect(await door.things()).toBe('a=by 1 b=1');
}

async function outside(door: DoorWorld): Promise<void> {
  const presented = door.present('a', { token: 9 });
  await expect(presented).rejects.toMatchObject({ code: 'INVALID', outcome: 'none' });
  await expect(door.present('a', { token: 9 })).rejects.toThrow('in a transaction');
  // Had it been remembered, a smaller one would be stale.
  await door.ask('BEGIN');
  await door.present('a', { token: 8 });
  await door.commit();
}

async function savepoint(door: DoorWorld): Promise<void> {
  await door.protect('things', '{id}');
  await door.ask('BEGIN');
  await door.ask('SAVEPOINT before_it');
  await door.present('a', { token: 5 });
  await door.ask('ROLLBACK TO SAVEPOINT before_it');
  const write = "UPDATE things SET value = '2' WHERE id = 'a'";
  await expect(door.ask(write)).rejects.toThrow(REFUSED);
  await door.ask('ROLLBACK');
  await door.ask('BEGIN');
  await door.present('a', { token: 4 });
  // What is taken back to a savepoint of later leaves it open.
  await door.ask('SAVEPOINT after_it');
  await door.ask("UPDATE things SET value = 'lost' WHERE id = 'a'");
  await door.ask('ROLLBACK TO SAVEPOINT after_it');
  await door.ask(write);
  await door.commit();
  expect(await door.things()).toBe('a=2 b=1');
}

async function again(door: DoorWorld): Promise<void> {
  await door.protect('things', 'one/{id}');
  await door.protect('things', 'two/{id}');
  await door.ask('BEGIN');
  await door.present('two/a', { token: 5 });
  await door.ask("UPDATE things SET value = '2' WHERE id = 'a'");
  await door.commit();
  await door.unprotect('things');
  await door.unprotect('things');
  await door.ask("UPDATE things SET value = '3'");
  expect(await door.things()).toBe('a=3 b=3');
}

async function impossible(door: DoorWorld): Promise<void> {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['nothing', '{id}', /there is no such table/],
    ['things', '{ID number}', /has no column ID number \(it has id, value\)/],
    ['things', '', /resource must be/],
    ['things', 'a{', /resource must be/],
    ['things', '{}', /resource must be/],
    ['a.b.things', '{id}', /table must be/],
    ['', '{id}', /table must be/],
  ];
  for (const [table, resource, problem] of wrong) {
    const told = expect(door.protect(table, resource), `${table} ${resource}`).rejects;
    await told.toMatchObject({ code: 'INVALID', outcome: 'none' });
    await expect(door.protect(table, resource)).rejects.toThrow(problem);
  }
  await door.ask("UPDATE things SET value = '2'");
  expect(await door.things()).toBe('a=2 b=2');
}
