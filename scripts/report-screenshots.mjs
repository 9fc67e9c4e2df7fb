// Makes the pictures of docs/failure-report.md: real failures, their pages, and Chromium.
//   node scripts/report-screenshots.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { transpileTree } from './lib/transpile.mjs';

const root = resolve(import.meta.dirname, '..');
const tree = join(root, '.cache', 'sim', 'tree');
const images = join(root, 'docs', 'images');
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The planted bug of the second picture: pre-votes are never granted. */
const MUTANT = 'M-04';

await transpileTree(tree);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-pages-'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const paused = await pausedHolder();
  await shoot(paused, 'failure-report.png', 780);
  await shoot(paused, 'failure-report-compared.png', 1_060, '3');
  await shoot(await noLeader(), 'failure-report-raft.png', 560);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** A worker that stands still for longer than its lease, and writes without looking. */
async function pausedHolder() {
  const { simulate } = await load('api/simulate.js');
  const faults = [{ kind: 'pause', target: 'worker-1', atMs: 200, forMs: 5_000, arg: 0 }];
  const failure = await simulate({ seed: 7, report: folder, faults }, async (world) => {
    const stock = { left: 10 };
    const sold = new Set();
    const worker = async (own) => {
      const client = own.client({ ttlMs: 2_000 });
      await client.lock('inventory').do({}, async () => {
        const item = stock.left;
        await own.sleep(300);
        stock.left = item - 1;
        world.check(!sold.has(item), `${own.name} sold item ${item} a second time`);
        sold.add(item);
      });
      await client.close();
    };
    const first = world.run('worker-1', worker);
    await world.sleep(50);
    const second = world.run('worker-2', worker);
    await Promise.all([first.done, second.done]);
  }).catch((error) => error);
  return failure.reportFile;
}

/** A cluster of nodes with a planted bug, in which nobody is ever elected. */
async function noLeader() {
  const { MutantTrees } = await load('run/mutant-tree.js');
  const { PLANTED } = await load('mutants/catalogue.js');
  const mutant = PLANTED.find(({ id }) => id === MUTANT);
  const trees = await MutantTrees.prepare();
  const program = join(await trees.plant(mutant), 'sim', 'run', 'cli.js');
  try {
    const found = JSON.parse(execFileSync(process.execPath, [program, 'hunt', '--shrink']));
    const file = join(folder, 'no-leader.json');
    const { message, killedBy, script } = found;
    writeFileSync(file, JSON.stringify({ about: message, violated: killedBy, script }));
    // Its exit code is 1, for the promise is broken.
    const options = { stdio: 'ignore', cwd: folder };
    try {
      execFileSync(process.execPath, [program, 'replay', 'no-leader.json', '--report'], options);
    } catch (error) {
      if (error.status !== 1) throw error;
    }
    return file.replace('.json', '.html');
  } finally {
    await trees.remove(mutant);
  }
}

async function shoot(file, name, height, key = '1') {
  const page = await browser.newPage({ viewport: { width: 1_280, height }, colorScheme: 'light' });
  await page.goto(pathToFileURL(file).href);
  await page.keyboard.press(key);
  await page.screenshot({ path: join(images, name) });
  await page.close();
}

async function load(path) {
  return import(pathToFileURL(join(tree, 'sim', path)).href);
}
