// Every entry of the packed package, from modules and from CommonJS, in projects of its own.

import { accessSync, constants, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MANIFEST, install, pack } from './packed.ts';
import type { Project, Tarball } from './packed.ts';

const DEPENDENCIES = Object.keys(MANIFEST.dependencies);
/** What the lock client needs. */
const OF_CLIENT = ['msgpackr', 'ws'];
/** It exports nothing: it is loaded before everything else. */
const PRELOAD = 'holdfast/sim/register';
/** Whatever makes it larger was not meant to be in it. */
const TARBALL_BYTES_MAX = 3_145_728;

// Packers and compilers take their time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let tarball: Tarball;
let project: Project;
let other: Project;
let bare: Project;

beforeAll(async () => {
  tarball = await pack();
  [project, other, bare] = await Promise.all([
    install(tarball, [...DEPENDENCIES, 'fast-check']),
    install(tarball, OF_CLIENT),
    install(tarball, OF_CLIENT),
  ]);
});

afterAll(() => {
  project.remove();
  other.remove();
  bare.remove();
  tarball.remove();
});

/** What the program prints as JSON, when it ends well and prints nothing else. */
async function answerOf(place: Project, name: string, program: string): Promise<unknown> {
  const { code, output } = await place.node(place.write(name, program));
  expect([code, output]).toEqual([0, expect.stringMatching(/^[[{].*[\]}]\n$/)]);
  return JSON.parse(output);
}

describe('E1 each entry', () => {
  const entries = Object.keys(MANIFEST.exports).map((key) => key.replace('.', 'holdfast'));
  const modules = entries.filter((name) => !name.endsWith('.json') && name !== PRELOAD);

  test.each(modules)('%s is the same module, imported or required', async (name) => {
    const program = `
      const required = require('${name}');
      import('${name}').then((imported) => {
        const names = Object.keys(imported);
        const same = names.filter((name) => required[name] === imported[name]);
        console.log(JSON.stringify([names.length > 0, same.length === names.length]));
      });`;
    expect(await answerOf(project, 'require.cjs', program)).toEqual([true, true]);
  });

  test('shares its classes with the others: an error of one is an instance in all', async () => {
    const program = `
      import * as client from 'holdfast';
      import * as node from 'holdfast/node';
      import * as fence from 'holdfast/fence';
      import * as simulator from 'holdfast/sim';
      const own = [client, node, fence, simulator].map(({ HoldfastError }) => HoldfastError);
      console.log(JSON.stringify(own.map((each) => each === client.HoldfastError)));`;
    expect(await answerOf(project, 'shared.mjs', program)).toEqual([true, true, true, true]);
  });

  test('package.json can be read, and nothing below dist/', async () => {
    const program = `
      const inner = ['holdfast/package.json', 'holdfast/dist/src/index.js', 'holdfast/client'];
      const codes = inner.map((name) => {
        try { return require(name).name; } catch (error) { return error.code; }
      });
      console.log(JSON.stringify(codes));`;
    const closed = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    expect(await answerOf(project, 'inner.cjs', program)).toEqual(['holdfast', closed, closed]);
  });
});

test('E1 an error of another copy of the package is recognised by HoldfastError.is', async () => {
  const copy = pathToFileURL(join(other.installed, 'dist/src/index.js')).href;
  const program = `
    import { connect, HoldfastError } from 'holdfast';
    const theirs = await import('${copy}');
    const error = await theirs.connect({ nodes: [] }).catch((reason) => reason);
    console.log(JSON.stringify([error instanceof HoldfastError, HoldfastError.is(error), error.code,
      error instanceof theirs.HoldfastError]));`;
  const seen = await answerOf(project, 'copies.mjs', program);
  expect(seen).toEqual([false, true, 'INVALID', true]);
});

test('holdfast needs its client only: no node, no simulator, none of their packages', async () => {
  for (const folder of ['sim', 'src/node', 'src/node.js', 'src/server', 'src/cli']) {
    rmSync(join(other.installed, 'dist', folder), { recursive: true });
  }
  const program = `
    const { connect } = require('holdfast');
    connect({ nodes: ['127.0.0.1:9'], connectMs: 1 }).catch(({ code }) =>
      console.log(JSON.stringify([code])));`;
  expect(await answerOf(other, 'alone.cjs', program)).toEqual(['UNAVAILABLE']);
});

test('the packed package starts a cluster, takes a lock in it and ends', async () => {
  const program = `
    import { connect } from 'holdfast';
    import { localCluster } from 'holdfast/node';
    const cluster = await localCluster({ nodes: 3 });
    const client = await connect({ nodes: cluster.addresses });
    const isSafe = await client.lock('a').do(({ token }) => Number.isSafeInteger(token));
    await client.close();
    await cluster.stop();
    console.log(JSON.stringify([isSafe]));`;
  expect(await answerOf(project, 'cluster.mjs', program)).toEqual([true]);
});

test('the packed simulator runs a program, twice the same, without fast-check', async () => {
  const program = `
    import { simulate, SimulationError } from 'holdfast/sim';
    const play = (seed, program) => simulate({ seed, report: false }, program);
    const hold = async (world) => {
      const client = world.client('billing');
      return client.lock('a').do(() => world.sleep('2s').then(() => true));
    };
    const runs = [await play(1, hold), await play(1, hold)];
    const breaking = play(1, async (world) => world.check(false, 'never'));
    const broken = await breaking.catch((error) => error);
    console.log(JSON.stringify([
      ...runs.map(({ value }) => value),
      runs[0].traceHash === runs[1].traceHash,
      broken instanceof SimulationError && broken.oracle,
    ]));`;
  const seen = await answerOf(bare, 'simulate.mjs', program);
  expect(seen).toEqual([true, true, true, 'CHECK']);
});

test('what draws scenarios says that it needs fast-check', async () => {
  const { code, output } = await bare.node('-e', `require('holdfast/sim/property')`);
  expect([code, output]).toEqual([1, expect.stringContaining(`Cannot find package 'fast-check'`)]);
});

test('a program that preloads the simulator is played in it as it stands', async () => {
  project.write('worker.mjs', 'const now = Date.now; export const wallMs = () => now();');
  const program = `
    import { simulate } from 'holdfast/sim';
    import { wallMs } from './worker.mjs';
    const play = () => simulate({ seed: 1, report: false }, (world) =>
      world.run('worker', async (own) => [wallMs() === own.now(), wallMs()]).done);
    const [first, second] = [await play(), await play()];
    console.log(JSON.stringify([first.value[0], first.value[1] === second.value[1]]));`;
  const path = project.write('preloading.mjs', program);
  const { output } = await project.node('--import', PRELOAD, path);
  expect(output).toBe('[true,true]\n');
});

test('a stack trace names the sources, which came along', async () => {
  const program = `
    import { connect } from 'holdfast';
    const { stack } = await connect({ nodes: [] }).catch((error) => error);
    console.log(JSON.stringify(stack.split('\\n').slice(1, 3)));`;
  const path = project.write('stack.mjs', program);
  const { output } = await project.node('--enable-source-maps', path);
  expect(output).toMatch(/holdfast\/src\/client\/options\.ts:\d+/);
});

test('the command can be started', async () => {
  for (const path of Object.values(MANIFEST.bin)) {
    const command = join(project.installed, path);
    accessSync(command, constants.X_OK);
    const { output } = await project.node(command, '--version');
    expect(output).toMatch(/^\d+\.\d+\.\d+\n$/);
  }
});

describe('the tarball', () => {
  test('holds what was built and what is read, and nothing else', () => {
    const built = /^dist\/.*\.(c?js|d\.c?ts|c?js\.map)$/;
    const read = /^(docs\/.*\.(md|png|svg)|examples\/.*\.mjs|[\w./-]+\.(md|json))$/;
    const others = tarball.files.filter((path) => !built.test(path) && !read.test(path));
    expect(others).toEqual(['LICENSE']);
    expect(tarball.bytes).toBeLessThan(TARBALL_BYTES_MAX);
  });

  test('holds of the simulator what its entry needs: no planted bugs, no months', () => {
    const places = ['dist/sim/mutants/', 'dist/sim/month/', 'dist/sim/corpus/', 'dist/test/'];
    const held = places.filter((place) => tarball.files.some((path) => path.startsWith(place)));
    expect(tarball.files).toContain('dist/sim/index.js');
    expect(held).toEqual([]);
  });
});
