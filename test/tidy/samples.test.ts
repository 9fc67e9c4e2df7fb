// Every rule can fail: each is shown one sample that breaks it, and one beside it that does not.

import { describe, expect, test } from 'vitest';
import { cycles, floors, packages } from './imports.ts';
import { asynchrony, bannedNames, bareSort, chanceAndLocale, forIn, moduleState } from './names.ts';
import { columns, fileLines, functionLines, parameters } from './size.ts';
import { sourceOf, type Rule } from './source.ts';
import { privatePlaces, sleeps, undone } from './texts.ts';
import { anyTypes, casts, exportDocs, nonNull } from './types.ts';

interface Sample {
  readonly rule: Rule;
  readonly path: string;
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

const lines = (count: number) => 'call();\n'.repeat(count);

const SAMPLES: Readonly<Record<string, Sample>> = {
  'raft may use base only': {
    rule: floors,
    path: 'src/raft/log.ts',
    bad: [
      `import { a } from '../locks/machine.ts';`,
      `import type { A } from '../wire/peer.ts';`,
      `export { a } from '../node/host.ts';`,
      `type A = import('../ports/clock.ts').Clock;`,
      `const a = import('../client/client.ts');`,
      `import fs from 'node:fs';`,
      `import { a } from '../../sim/world/world.ts';`,
    ],
    good: [`import { a } from '../base/hash.ts';`, `import { a } from './entry.ts';`],
  },
  'locks do not know raft': {
    rule: floors,
    path: 'src/locks/machine.ts',
    bad: [`import type { Entry } from '../raft/entry.ts';`],
    good: [`import type { Index } from '../base/units.ts';`],
  },
  'node and client do not know each other': {
    rule: floors,
    path: 'src/client/link.ts',
    bad: [`import { a } from '../node/host.ts';`, `import { a } from '../adapters/clock.ts';`],
    good: [`import { a } from '../wire/client.ts';`],
  },
  'adapters may use Node, but nothing above': {
    rule: floors,
    path: 'src/adapters/level-store.ts',
    bad: [`import { a } from '../server/config.ts';`, `import { a } from '../index.ts';`],
    good: [`import fs from 'node:fs';`, `import type { A } from '../ports/storage.ts';`],
  },
  'entry files join client and adapters': {
    rule: floors,
    path: 'src/index.ts',
    bad: [`import { a } from './cli/program.ts';`],
    good: [`import { a } from './client/client.ts';`, `import { a } from './adapters/ws.ts';`],
  },
  'the simulator stays below the adapters': {
    rule: floors,
    path: 'sim/world/network.ts',
    bad: [
      `import { a } from '../../src/adapters/ws-link.ts';`,
      `import { a } from '../../src/cli/main.ts';`,
      `import fs from 'node:fs';`,
      `import { a } from '../../test/wire/samples.ts';`,
    ],
    good: [`import { a } from '../../src/node/host.ts';`],
  },
  'of the product only the command line knows the simulator': {
    rule: floors,
    path: 'src/server/server.ts',
    bad: [`import { a } from '../../sim/index.ts';`, `import('../../sim/ttl/index.ts');`],
    good: [`import { a } from '../node/host.ts';`],
  },
  'the command line may use the simulator, not the tests': {
    rule: floors,
    path: 'src/cli/sim-ttl.ts',
    bad: [`import { a } from '../../test/sim/world.ts';`],
    good: [`import { a } from '../../sim/ttl/index.ts';`],
  },
  'msgpackr belongs to wire': {
    rule: packages,
    path: 'src/node/host.ts',
    bad: [`import { pack } from 'msgpackr';`, `import x from 'lodash';`, `import 'level/sub';`],
    good: [`import { pack } from '../wire/msgpack.ts';`],
  },
  'a scoped package has its place': {
    rule: packages,
    path: 'src/server/http.ts',
    bad: [`import { WebSocket } from 'ws';`],
    good: [`import { serve } from '@hono/node-server/serve';`, `import { Hono } from 'hono';`],
  },
  'file length': { rule: fileLines, path: 'src/a.ts', bad: [lines(301)], good: [lines(300)] },
  'function length': {
    rule: functionLines,
    path: 'src/a.ts',
    bad: [
      `function a() {\n${lines(59)}}`,
      `const a = () => {\n${lines(59)}};`,
      `class A { b() {\n${lines(59)}} }`,
    ],
    good: [`function a() {\n${lines(58)}}`, `describe('a', () => {\n${lines(90)}test('b', c);});`],
  },
  columns: {
    rule: columns,
    path: 'docs/a.md',
    bad: ['x'.repeat(101), `test('${'x'.repeat(120)}', () => {`],
    good: ['ü'.repeat(100), '😀'.repeat(100), `  test('${'x'.repeat(90)}', () => {`],
  },
  parameters: {
    rule: parameters,
    path: 'src/a.ts',
    bad: ['function a(b, c, d, e, f) {}', 'class A { constructor(b, c, d, e, f) {} }'],
    good: ['function a(b, c, d, e) {}'],
  },
  any: {
    rule: anyTypes,
    path: 'test/a.test.ts',
    bad: ['let a: any;', 'const a = b as any;', 'type A = Map<string, any>;'],
    good: ['let a: unknown;', 'const any = 1;'],
  },
  'non-null': { rule: nonNull, path: 'src/a.ts', bad: ['a!.b();'], good: ['if (!a) b();'] },
  casts: {
    rule: casts,
    path: 'src/node/a.ts',
    bad: ['const a = b as C;', 'const a = <C>b;', 'const a = b as unknown as C;'],
    good: ['const a = [1] as const;', 'const a = b satisfies C;', `import { a as b } from 'c';`],
  },
  'doc comments of exports': {
    rule: exportDocs,
    path: 'src/a.ts',
    bad: [
      'export function a() {}',
      'export const a = 1;',
      'export class A {}',
      'export interface A { b: number }',
      '// not a doc comment\nexport const a = 1;',
    ],
    good: [
      '/** Says it. */\nexport function a() {}',
      'export interface A {\n  /** Says it. */ b: number }',
      `export { a } from './b.ts';`,
      'function a() {}',
    ],
  },
  'ambient names': {
    rule: bannedNames,
    path: 'src/client/a.ts',
    bad: [
      'Date.now();',
      'new Date();',
      'setTimeout(a, 1);',
      'globalThis.process.exit();',
      'const a = Buffer.from(b);',
      'let a: Date;',
      'crypto.randomUUID();',
      'console.log(1);',
      'a.b(performance);',
      'const a = { b: process };',
    ],
    good: [
      'a.process();',
      'const a = { Date: 1 };',
      'interface A { process(): void }',
      'new Promise(a);',
      'function a(process: string) { return process; }',
    ],
  },
  'the host knows no promises': {
    rule: bannedNames,
    path: 'src/node/a.ts',
    bad: ['new Promise(a);', 'queueMicrotask(a);', 'let a: Promise<void>;'],
    good: ['a.then(b);'],
  },
  'the simulator has its own time': {
    rule: bannedNames,
    path: 'sim/cluster.ts',
    bad: ['Date.now();', 'setImmediate(a);'],
    good: ['world.clock.monoUs();', 'process.argv;'],
  },
  asynchrony: {
    rule: asynchrony,
    path: 'src/node/storage/a.ts',
    bad: ['async function a() {}', 'const a = async () => 1;', 'for await (const a of b) {}'],
    good: ['function a(done) {}'],
  },
  'chance and locale': {
    rule: chanceAndLocale,
    path: 'src/server/a.ts',
    bad: ['Math.random();', 'a.localeCompare(b);', 'a.toLocaleString();'],
    good: ['random.u32();', 'dice.random();'],
  },
  'for…in': { rule: forIn, path: 'a.mjs', bad: ['for (const a in b);'], good: ['for (a of b);'] },
  'bare sort': {
    rule: bareSort,
    path: 'test/a.ts',
    bad: ['a.sort();', '[1].toSorted();'],
    good: ['a.sort((b, c) => b - c);'],
  },
  'module state': {
    rule: moduleState,
    path: 'src/a.ts',
    bad: ['let a = 1;', 'var a;', 'const a = new Map();', 'const a: string[] = [];'],
    good: [
      'const a = 1;',
      'function a() { let b = 1; }',
      'const a: readonly string[] = [];',
      'const a = new Set([1]);',
    ],
  },
  'undone things': {
    rule: undone,
    path: 'docs/a.md',
    bad: [`// ${'TO'}DO later`, `${'FIX'}ME`],
    good: ['method', 'todo'],
  },
  'private places': {
    rule: privatePlaces,
    path: 'README.md',
    bad: [`see /${'home'}/me/x`, `/${'work'}/y`, `https://registry.${'npmjs'}.org/`],
    good: [`a/${'work'}/b`, '/workspaces', 'src/root/x', '/v1/peer'],
  },
  sleeps: {
    rule: sleeps,
    path: 'test/a.test.ts',
    bad: [
      'await new Promise((done) => setTimeout(done, 50));',
      `import { setTimeout } from 'node:timers/promises';`,
      'await sleep(50);',
    ],
    good: ['await until(() => ready);', `run('sleep 600');`],
  },
};

describe.each(Object.entries(SAMPLES))('the rule about %s', (_name, { rule, path, bad, good }) => {
  test.each(bad)('finds %j', (text) => {
    expect(rule(sourceOf(path, text))).not.toEqual([]);
  });

  test('finds nothing else', () => {
    expect(good.flatMap((text) => rule(sourceOf(path, text)))).toEqual([]);
  });
});

describe('the rule about circles', () => {
  const a = sourceOf('src/base/a.ts', `import { b } from './b.ts';`);

  test('finds two files that import one another, and shows the way', () => {
    const b = sourceOf('src/base/b.ts', `import { a } from './a.ts';`);
    expect(cycles([a, b]).map(({ message }) => message)).toEqual([
      'imports itself: src/base/a.ts → src/base/b.ts → src/base/a.ts; cut one of these',
    ]);
  });

  test('finds a longer circle behind its beginning', () => {
    const b = sourceOf('src/base/b.ts', `export { c } from './c.ts';`);
    const c = sourceOf('src/base/c.ts', `import './b.ts';`);
    expect(cycles([a, b, c])).toHaveLength(1);
  });

  test('lets types refer to one another', () => {
    const b = sourceOf('src/base/b.ts', `import type { A } from './a.ts';`);
    expect(cycles([a, b])).toEqual([]);
  });
});

test('a cast in wire is no finding', () => {
  expect(casts(sourceOf('src/wire/a.ts', 'const a = b as C;'))).toEqual([]);
});

test('a finding names the line and what to do', () => {
  const [finding] = anyTypes(sourceOf('src/a.ts', '\n\nlet a: any;'));
  expect(finding).toEqual({
    path: 'src/a.ts',
    line: 3,
    message: 'any: use unknown and narrow it, or a type parameter',
  });
});
