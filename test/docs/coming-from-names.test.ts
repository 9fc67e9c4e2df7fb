// Whatever docs/coming-from-*.md name of ours exists: the compiler reads their code spans.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = readdirSync(join(root, 'docs')).filter((page) => page.startsWith('coming-from-'));

/** What the code spans may name, and the words that are options, members and error codes. */
const HEAD = `
import { connect } from '${root}src/index.ts';
import type {
  AcquireOptions, CampaignOptions, Client, ClientOptions, CloseOptions, Election,
  ElectionView, ErrorCode,
  Grant, HolderInfo, Leadership, LockInfo, Lock, Semaphore, SemaphoreOptions, WatchOptions,
  Meta, LockItem, SessionId, Token, WatchEventType,
} from '${root}src/index.ts';
import type { SqlConnection, SqlFence } from '${root}src/fence.ts';
import * as fences from '${root}src/fence.ts';
declare const client: Client, lock: Lock, semaphore: Semaphore, election: Election, grant: Grant;
declare const leadership: Leadership, fence: SqlFence, db: SqlConnection;
declare const names: readonly LockItem[], name: string, nodes: readonly string[], id: SessionId;
declare const token: Token, reason: string, value: string, text: string, resource: string;
declare const signal: AbortSignal, meta: Meta, total: number, ttlMs: number, revision: number;
declare const work: (grant: Grant) => Promise<void>, update: () => Promise<void>;
type Word = ErrorCode | WatchEventType | 'gap' | keyof typeof fences | keyof (AcquireOptions &
  CampaignOptions & Client & ClientOptions & CloseOptions & Election & ElectionView & Grant &
  HolderInfo & Leadership & Lock & LockInfo & SemaphoreOptions & WatchOptions);
`;
const ROOTS = ['client', 'lock', 'semaphore', 'election', 'grant', 'leadership', 'fence'];
const OURS = new RegExp(`^((${ROOTS.join('|')})\\.\\w|connect\\()`);
/** Of the right column of a table: values, and words that are no names. */
const PLAIN = new Set(['null', 'true', 'false']);

interface Span {
  readonly page: string;
  readonly code: string;
  readonly isInTable: boolean;
}

function spansOf(page: string): Span[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  const codesOf = (part: string): string[] =>
    [...part.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
  return text.split(/\n(?=\||\n)/).flatMap((part) => {
    const isInTable = part.trim().startsWith('|');
    const cells = part.split('|');
    const ours = isInTable ? (cells.at(-2) ?? '') : part;
    return codesOf(ours).map((code) => ({ page, code, isInTable }));
  });
}

const spans = pages.flatMap(spansOf);

/** Spans as TypeScript, a line each; null for what is none. */
function lineOf({ code, isInTable }: Span): string | null {
  if (OURS.test(code)) return `async () => (${code});`;
  if (!isInTable || PLAIN.has(code) || code.startsWith('holdfast ')) return null;
  return `'${code.replace(/\(\)$/, '')}' satisfies Word;`;
}

/** What the compiler says against lines of code, each with the line. */
function complaints(lines: readonly string[]): { line: string; what: string }[] {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-names-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'names.mts');
  const headLines = HEAD.split('\n').length;
  writeFileSync(file, [HEAD, ...lines, 'export {};'].join('\n'));
  const base = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(base.config, ts.sys, root);
  const program = ts.createProgram([file], {
    ...options,
    noEmit: true,
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} was not read`);
  const found = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ];
  return found.map(({ start = 0, messageText }) => {
    const at = source.getLineAndCharacterOfPosition(start).line;
    const what = ts.flattenDiagnosticMessageText(messageText, '\n');
    return { line: lines[at - headLines] ?? `line ${at}`, what };
  });
}

test('there are four pages, each with a table of what is used here', () => {
  expect(pages).toEqual([
    'coming-from-databases.md',
    'coming-from-etcd.md',
    'coming-from-redis.md',
    'coming-from-zookeeper.md',
  ]);
  for (const page of pages) {
    const inTable = spans.filter((span) => span.page === page && span.isInTable);
    expect(inTable.length, page).toBeGreaterThan(15);
  }
});

test('every method, option and code that they name is one of ours', { timeout: 120_000 }, () => {
  const lines = spans.map(lineOf).filter((line) => line !== null);
  const wrong = [
    'async () => (client.lock(name).acquire({ timeout: 5 }));',
    'async () => (grant.extend());',
    `'retryDelay' satisfies Word;`,
  ];
  const found = complaints([...lines, ...wrong]);
  expect(found.filter(({ line }) => !wrong.includes(line))).toEqual([]);
  expect(found.map(({ line }) => line)).toEqual(wrong);
});

test('every command that they name exists', () => {
  const cli = join(root, 'src/cli');
  const files = readdirSync(cli).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join(cli, file), 'utf8'));
  const known = new Set(
    texts.flatMap((text) => [...text.matchAll(/command\('(\w+)'\)/g)].map(([, word]) => word)),
  );
  const options = new Set(texts.flatMap((text) => text.match(/--[a-z-]+/g) ?? []));
  const commands = spans.filter(({ code }) => code.startsWith('holdfast '));
  expect(commands.length).toBeGreaterThan(3);
  for (const { code } of commands) {
    const [own = ''] = code.split(' -- ');
    expect(known, code).toContain(own.split(' ')[1]);
    for (const option of own.match(/--[a-z-]+/g) ?? []) expect(options, code).toContain(option);
  }
});

test('the limits that they tell are those in force', () => {
  const { nameBytesMax, namesPerRequestMax, holdingsPerSessionMax } = DEFAULT_LIMITS;
  const { permitsTotalMax, permitsPerRequestMax, ttlMsMin, ttlMsMax } = DEFAULT_LIMITS;
  const told = (page: string): string =>
    readFileSync(join(root, 'docs', page), 'utf8').replaceAll(/\s+/g, ' ');
  const shown = (value: number): string => value.toLocaleString('en');
  for (const page of pages) {
    expect(told(page)).toContain(`1 to ${nameBytesMax} bytes of UTF-8`);
    expect(told(page)).toContain(`${namesPerRequestMax} names in one request`);
    expect(told(page)).toContain(`${shown(holdingsPerSessionMax)} grants in a session`);
  }
  const ttl = `from ${ttlMsMin / 1_000} s to ${ttlMsMax / 60_000} min`;
  const permits = `${shown(permitsTotalMax)} permits, ${shown(permitsPerRequestMax)}`;
  for (const page of ['coming-from-redis.md', 'coming-from-zookeeper.md']) {
    expect(told(page)).toContain(ttl);
    expect(told(page)).toContain(permits);
  }
  expect(told('coming-from-etcd.md')).toContain(ttl);
});
