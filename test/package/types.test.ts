// The declarations of the packed package, read by the compiler as a strict project of a user has
// it read them: skipLibCheck is off, so that every declaration within reach has to be right.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MANIFEST, REPOSITORY, install, pack } from './packed.ts';
import type { Project, Tarball } from './packed.ts';

const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
const DEPENDENCIES = Object.keys(MANIFEST.dependencies);

// Packers and compilers take their time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let tarball: Tarball;
let project: Project;
let bare: Project;

beforeAll(async () => {
  tarball = await pack();
  [project, bare] = await Promise.all([
    install(tarball, [...DEPENDENCIES, 'fast-check', '@types/node']),
    install(tarball, []),
  ]);
});

afterAll(() => {
  project.remove();
  bare.remove();
  tarball.remove();
});

const CLIENT = `
  import { connect, HoldfastError } from 'holdfast';
  import type { Client, ErrorCode, Grant, Token } from 'holdfast';

  export async function save(client: Client): Promise<Token> {
    await using grant: Grant = await client.lock('a').acquire({ waitMs: 5 });
    const code: ErrorCode = 'LOCK_LOST';
    // @ts-expect-error no code of ours
    const none: ErrorCode = 'NOT_A_CODE';
    const reason: unknown = grant.signal.reason;
    if (HoldfastError.is(reason) && [code, none].includes(reason.code)) throw reason;
    const busy: Grant | null = await client.lock('b').tryAcquire();
    await busy?.release();
    return grant.token;
  }
  // @ts-expect-error a time-out says of what
  export const wrong = connect({ nodes: ['a:1'], timeout: 5 });
`;

const NODE = `
  import { createNode, localCluster } from 'holdfast/node';
  import type { HoldfastNode, LocalCluster } from 'holdfast/node';

  export const node: HoldfastNode = createNode({ config: 'cluster.config.json', id: 'n1' });
  export const cluster: Promise<LocalCluster> = localCluster({ nodes: 3 });
  // @ts-expect-error a node has an id
  createNode({ config: 'cluster.config.json' });
`;

const FENCE = `
  import { memoryFence, HoldfastError } from 'holdfast/fence';
  import type { FenceClaim, FenceState, MemoryFence } from 'holdfast/fence';
  import type { Grant } from 'holdfast';

  const fence: MemoryFence = memoryFence({ rowsMax: 10 });
  export const written = (grant: Grant): number => fence.write('a', grant, () => 7);
  export const state: FenceState = fence.seen('a', 0);
  export const several = (grant: Grant): FenceClaim => ({
    ...grant.toJSON(),
    slots: grant.slotsOf('b'),
  });
  export const stale = (error: unknown): boolean =>
    HoldfastError.is(error) && error.code === 'STALE_TOKEN';
  // @ts-expect-error a token in a text
  fence.present('a', { token: '34' });
`;

const SIMULATION = `
  import { simulate, SimulationError } from 'holdfast/sim';
  import type { Simulation, World } from 'holdfast/sim';

  async function transfer(world: World): Promise<number> {
    world.run('worker', async (own) => own.sleep('1s'));
    await world.partition('worker');
    return world.client('billing').lock('a').do(({ token }) => token);
  }
  export const run: Promise<Simulation<number>> = simulate({ seed: 1, nodes: 3 }, transfer);
  export const oracleOf = (error: unknown): string =>
    error instanceof SimulationError ? error.oracle : 'none';
  // @ts-expect-error a cluster of four
  export const wrong = simulate({ seed: 1, nodes: 4 }, transfer);
`;

const PROPERTY = `
  import type { WorldFault } from 'holdfast/sim/property';
  import type { SimulateOptions } from 'holdfast/sim';

  const fault: WorldFault = { kind: 'pause', target: 'holder', atMs: 0, forMs: 9_000, arg: 0 };
  export const options: SimulateOptions = { seed: 1, faults: [fault] };
  // @ts-expect-error no kind of ours
  export const wrong: WorldFault = { ...fault, kind: 'earthquake' };
`;

const REQUIRING = `
  import holdfast = require('holdfast');
  import node = require('holdfast/node');
  import sim = require('holdfast/sim');

  export const client: Promise<holdfast.Client> = holdfast.connect({ nodes: ['a:1'] });
  export const played: Promise<sim.Simulation<void>> = sim.simulate({ seed: 1 }, async () => {});
  export const starting: Promise<void> = node.createNode({ config: '', id: 'n1' }).start();
`;

/** What the compiler finds wrong in the files; empty when nothing is. */
async function errorsOf(
  place: Project,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
): Promise<string> {
  for (const [name, text] of Object.entries(files)) place.write(name, text);
  const config = {
    compilerOptions: {
      target: 'es2022',
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      ...options,
    },
    files: Object.keys(files),
  };
  place.write('tsconfig.json', JSON.stringify(config));
  const { code, output } = await place.node(COMPILER, '-p', 'tsconfig.json');
  return code === 0 ? '' : output;
}

const MODULES = {
  'client.mts': CLIENT,
  'node.mts': NODE,
  'fence.mts': FENCE,
  'simulation.mts': SIMULATION,
  'property.mts': PROPERTY,
};
const MODERN = { lib: ['es2022'], types: ['node'] };
const NODE_NEXT = { module: 'nodenext', ...MODERN };

describe('E1 E2 strict projects compile against the packed declarations', () => {
  test('nodenext, from a module and from CommonJS', async () => {
    const files = { ...MODULES, 'requiring.cts': REQUIRING };
    expect(await errorsOf(project, files, NODE_NEXT)).toBe('');
  });

  test('node16', async () => {
    expect(await errorsOf(project, MODULES, { ...MODERN, module: 'node16' })).toBe('');
  });

  test('a bundler', async () => {
    const options = { ...MODERN, module: 'esnext', moduleResolution: 'bundler' };
    const files = {
      'client.ts': CLIENT,
      'node.ts': NODE,
      'fence.ts': FENCE,
      'simulation.ts': SIMULATION,
      'property.ts': PROPERTY,
    };
    expect(await errorsOf(project, files, options)).toBe('');
  });

  test('client and simulator without any other package, nor the types of Node', async () => {
    const options = { module: 'nodenext', lib: ['es2022', 'dom'], types: [] };
    const files = { 'client.mts': CLIENT, 'simulation.mts': SIMULATION };
    expect(await errorsOf(bare, files, options)).toBe('');
  });

  test('and what is wrong is found', async () => {
    const files = { 'wrong.mts': `import { connekt } from 'holdfast'; connekt();` };
    expect(await errorsOf(project, files, NODE_NEXT)).toContain(`no exported member`);
  });
});
