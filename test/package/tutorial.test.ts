// docs/tutorial.md, followed to the letter in an empty folder, with the packed package: its files
// are written, its commands run, and what it shows comes out.

import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MANIFEST, REPOSITORY, install, pack } from './packed.ts';
import type { Ending, Project, Tarball } from './packed.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const document = readFileSync(join(REPOSITORY, 'docs', 'tutorial.md'), 'utf8');
const PACKAGES = ['vitest', 'fast-check'];
const FOLDER = 'my-worker';

/** What the reader does next: a file to write, commands to type, or what is to be seen. */
interface Step {
  readonly kind: string;
  readonly text: string;
  /** Of a file: the last name in front of it. */
  readonly file: string;
}

function steps(): readonly Step[] {
  const blocks = [...document.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  return blocks.map(({ index, 1: kind = '', 2: text = '' }) => {
    const names = [...document.slice(0, index).matchAll(/`(\w[\w.]*\.js)`/g)];
    return { kind, text, file: names.at(-1)?.[1] ?? '' };
  });
}

let root: string;
let tarball: Tarball;
let installed: Project;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-tutorial-'));
  tarball = await pack();
  installed = await install(tarball, [...Object.keys(MANIFEST.dependencies), ...PACKAGES]);
});

afterAll(() => {
  rmSync(root, { recursive: true });
  installed.remove();
  tarball.remove();
});

/** Types it into a shell, outside of all test runners. */
function type(command: string, folder: string): Promise<Ending> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1', npm_config_update_notifier: 'false' };
  return new Promise((resolve) => {
    execFile('sh', ['-ec', command], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

/** The commands of the beginning; what they would fetch is linked. */
async function begin(commands: string): Promise<string> {
  const folder = join(root, FOLDER);
  const lines = commands.trim().split('\n');
  const words = lines.pop()?.split(' ') ?? [];
  expect(words.slice(0, 3)).toEqual(['npm', 'install', '--save-dev']);
  expect(words[3]).toBe(`../${tarball.path.split('/').at(-1) ?? ''}`);
  expect(words.slice(4)).toEqual(PACKAGES);
  expect(await type(lines.join('\n'), root)).toMatchObject({ code: 0 });
  symlinkSync(join(installed.folder, 'node_modules'), join(folder, 'node_modules'));
  const programs = join(folder, 'node_modules', '.bin');
  mkdirSync(programs, { recursive: true });
  const vitest = join(REPOSITORY, 'node_modules', 'vitest', 'vitest.mjs');
  symlinkSync(vitest, join(programs, 'vitest'));
  return folder;
}

test('the tutorial finds the bug, makes it small, shows it, and its remedy is green', async () => {
  const [first, ...others] = steps();
  const folder = await begin(first?.text ?? '');
  const endings: Ending[] = [];
  for (const { kind, text, file } of others) {
    if (kind === 'js') writeFileSync(join(folder, file), text);
    else if (kind === 'sh') endings.push(await type(text, folder));
    else expectShown(text, endings.at(-1)?.output ?? '');
  }
  expect(endings.map(({ code }) => code)).toEqual([1, 1, 0]);
  const [found = { code: 0, output: '' }] = endings;
  expect(found.output).toMatch(/faults? shrunk to 1 in \d+ runs/);
  expect(found.output.match(/^ {2}fault: /gm)).toHaveLength(1);
  const [page = ''] = readdirSync(join(folder, '.holdfast')).filter((name) => /html$/.test(name));
  expect(found.output).toContain(page);
  const html = readFileSync(join(folder, '.holdfast', page), 'utf8');
  expect(html).toContain('6 additions came to');
  expect(html).not.toMatch(/(src|href)="http/);
  // It is the fence that mends it: with a token that passes always, the bug is back.
  const worker = join(folder, 'worker.js');
  const mended = readFileSync(worker, 'utf8');
  const fooled = mended.replace('grant.token', 'Number.MAX_SAFE_INTEGER');
  expect(fooled).not.toBe(mended);
  writeFileSync(worker, fooled);
  const again = await type('npx vitest run', folder);
  expect(again.code).toBe(1);
  expect(again.output).toContain('6 additions came to');
});

/** Every line but what depends on chance: tokens, times, names of files. */
function expectShown(text: string, output: string): void {
  const plain = (line: string): string => line.replace(/\S*\.holdfast\S*|[\d.]+/g, '#').trim();
  const seen = output.split('\n').map(plain).join('\n');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '...');
  expect(lines.map(plain).filter((line) => !seen.includes(line))).toEqual([]);
}
