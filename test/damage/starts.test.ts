// Whatever happens to durable data, a node that starts on it either ends with the exit code of that
// damage and a message that says what to do, without a vote or an acknowledgement to anybody and
// without a write; or, undamaged, it starts and gives both. The nodes are real processes, and so
// are their files; the damage is placed and seen by readers that share no code with them.

import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slotPaths } from '../../src/server/data-directory.ts';
import { endAll } from '../cli/cli.ts';
import { suiteDirectory } from '../cli/scratch.ts';
import { DAMAGES, REMEDIES } from './cases.ts';
import type { Damage, Source, Sources } from './damage.ts';
import { copyDirectory, logEnd, makeDirectories, readSlot } from './directories.ts';
import { describeDamage, lookAt, writtenBetween } from './evidence.ts';
import { flip } from './harm.ts';
import { Observer } from './observer.ts';
import { lastWord, startAgain, startObserved } from './starting.ts';

const root = suiteDirectory();
const IDS: Readonly<Record<Source, string>> = { written: 'n1', killed: 'n2', restarted: 'n1' };
let sources: Sources;
let observer: Observer;

beforeAll(async () => {
  const { stopped, killed, cluster } = await makeDirectories(join(root, 'cluster'));
  observer = new Observer(cluster);
  await observer.listen();
  sources = { written: stopped, killed, restarted: '' };
  const { directory, ...start } = place('one more life', 'written');
  expect(await startObserved(observer, start)).toMatchObject({ code: 0, isMember: true });
  sources = { ...sources, restarted: directory };
});

afterAll(async () => {
  await observer.close();
  await endAll();
});

/** A copy of that directory where node `id` looks for it. */
function place(title: string, source: Source) {
  const id = IDS[source];
  const placeRoot = join(root, title.replaceAll(/\W+/g, '-'));
  const directory = copyDirectory(sources[source], join(placeRoot, 'data'), id);
  return { id, root: placeRoot, directory, end: logEnd(directory), before: lookAt(directory) };
}

test.each(['killed', 'restarted'] as const)(
  'undamaged, a node starts, votes and acknowledges: %s',
  async (source) => {
    const { directory, before, ...start } = place(`whole ${source}`, source);
    expect(before.reading.problems).toEqual([]);
    expect(await startObserved(observer, start)).toMatchObject({ code: 0, isMember: true });
    const after = lookAt(directory);
    expect(writtenBetween(before.reading, after.reading)).toContain('m/tail');
    expect(after.reading.files.map(({ kind }) => kind)).toContain('table');
  },
);

test('a node with one whole slot file starts, and makes the other whole again', async () => {
  const { directory, before, ...start } = place('one slot', 'killed');
  flip(slotPaths(directory)[1], 40);
  expect(describeDamage(before, lookAt(directory))).toBe('wrong checksum: second slot');
  expect(await startObserved(observer, start)).toMatchObject({ code: 0, isMember: true });
  const [first, second] = slotPaths(directory).map(readSlot);
  expect(second).toEqual(first);
});

describe('a start ends, without a vote, an acknowledgement or a write, after', () => {
  test.each(DAMAGES)('$exitCode: $title', async (damage) => {
    const { title, source, harm, exitCode, says, name } = damage;
    const { directory, before, ...start } = place(title, source);
    await harm({ directory, reading: before.reading }, sources);
    const harmed = lookAt(directory);
    const seen = describeDamage(before, harmed);
    if (name === undefined) expect(seen).not.toBe('');

    const started = await startObserved(observer, { ...start, ...(name && { name }) });
    expect(lastWord(started)).toMatch(says);
    expect(lastWord(started)).toMatch(REMEDIES[exitCode] ?? /^$/);
    expect(started).toMatchObject({ code: exitCode, isMember: false, heard: [] });

    const left = lookAt(directory);
    expect(left.slots).toEqual(harmed.slots);
    expect(writtenBetween(harmed.reading, left.reading)).toEqual([]);
    // LevelDB may have cut away what was wrong: what is missing must still be noticed.
    expect(await startAgain(start)).toBe(exitCode);
    report(damage, { seen, says: lastWord(started) });
  });
});

test('a node that lost everything is a blank one: it says so, and nothing else', async () => {
  const { directory, ...start } = place('all lost', 'written');
  rmSync(directory, { recursive: true });
  // It answers in order, so the votes that were asked for before came to nothing.
  const hasAnswered = ({ heard }: Observer) => heard.some(({ type }) => type === 'appendResponse');
  const started = await startObserved(observer, start, hasAnswered);
  expect(started).toMatchObject({ code: 0, isMember: false });
  const [hello, ...answers] = started.heard;
  expect(hello).toMatchObject({ type: 'peerHello', clusterId: null });
  for (const answer of answers) expect(answer).toMatchObject({ type: 'appendResponse', ok: false });
  expect(existsSync(slotPaths(directory)[0])).toBe(true);
});

/** One line of the table in the documentation, for scripts/damage.mjs. */
function report(
  { title, exitCode }: Damage,
  line: { readonly seen: string; readonly says: string },
) {
  const file = process.env['HOLDFAST_DAMAGE_TABLE'];
  if (file === undefined) return;
  appendFileSync(file, `${JSON.stringify({ title, exitCode, ...line })}\n`);
}
