import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { SimulationError } from '../../sim/api/error.ts';
import { explore, replay } from '../../sim/property/index.ts';
import type { ExploreOptions } from '../../sim/property/index.ts';
import type { World } from '../../sim/api/types.ts';
import { addUp } from './workers.ts';

const report = mkdtempSync(join(tmpdir(), 'holdfast-explore-'));

afterAll(() => rmSync(report, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

type Faults = Pick<ExploreOptions, 'faults'>;
const SILENCES: Faults = { faults: { kinds: ['pause', 'isolate', 'suspend'], ttlMs: 2_000 } };

async function failureOf(promise: Promise<unknown>): Promise<SimulationError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof SimulationError) return error;
  throw new Error(`it did not fail as a simulation does: ${String(error)}`);
}

function savedFaults(error: SimulationError): unknown[] {
  return JSON.parse(readFileSync(error.replayFile ?? '', 'utf8')).faults;
}

describe('exploring', () => {
  test('finds a worker without fencing, makes it small and tells it', async () => {
    const options = { report, faults: { ttlMs: 2_000 } };
    const error = await failureOf(explore(options, (world) => addUp(world, 'no fencing')));
    expect(error.oracle).toBe('CHECK');
    const lines = error.message.split('\n');
    expect(lines[0]).toMatch(/^CHECK: \d+ of \d+ additions are lost$/);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(savedFaults(error).length).toBe(1);
    expect(error.message).toMatch(/fault: at .* whoever holds a lock/);
    expect(error.message).toContain(`HOLDFAST_REPLAY=${error.replayFile}`);
    // The page says the same.
    const page = readFileSync(error.reportFile ?? '', 'utf8');
    expect(page).toContain(
      `<pre id="replay">HOLDFAST_REPLAY=${error.replayFile} and the same test<`,
    );
  });

  test('finds a worker that ignores the signal', async () => {
    const program = (world: World): Promise<void> => addUp(world, 'ignores the signal');
    const error = await failureOf(explore({ report, ...SILENCES }, program));
    expect(error.message).toMatch(/^CHECK: two workers are inside/);
    expect(savedFaults(error).length).toBe(1);
  });

  test('passes the mended worker, and tells what happened to it', async () => {
    const options = { report, runs: 25, faults: { ttlMs: 2_000 } };
    const seen = await explore(options, (world) => addUp(world, 'none'));
    expect(seen).toMatchObject({ runs: 25, warnings: [] });
    expect(seen.grants).toBeGreaterThanOrEqual(25 * 6);
    expect(seen.strikes).toBeGreaterThan(25);
    expect(seen.rareStates).toContain('lease-runs-out');
  });

  test('DET-1 is the same each time, and elsewhere with another seed', async () => {
    const options = { report: false, ...SILENCES } as const;
    const program = (world: World): Promise<void> => addUp(world, 'ignores the signal');
    const [first, second] = [
      await failureOf(explore(options, program)),
      await failureOf(explore(options, program)),
    ];
    expect(second.message).toBe(first.message);
    expect(first.replayFile).toBe(null);
    const other = await failureOf(explore({ ...options, seed: 2 }, program));
    expect(other.seed).not.toBe(first.seed);
  });

  test('DET-1 tells of a program that is not the same each time', async () => {
    let runs = 0;
    const error = await failureOf(
      explore({ report: false, faults: false, shrinkRuns: 0 }, async (world) => {
        await world.sleep(++runs);
        world.check(false, 'never');
      }),
    );
    expect(error.oracle).toBe('DET-1');
  });

  test('shrinks inputs as well, and whatever the program draws for itself goes along', async () => {
    const inputs = fc.record({
      workers: fc.integer({ min: 1, max: 4 }),
      names: fc.array(fc.nat()),
    });
    const program = async (world: World, given: { workers: number }): Promise<void> => {
      await world.sleep(1);
      world.check(given.workers < 2, `${given.workers} are too many`);
    };
    const error = await failureOf(explore({ report, faults: false, inputs }, program));
    expect(error.message).toContain('inputs: {"workers":2,"names":[]}');
    const again = await failureOf(replay(error.replayFile ?? '', program, { report: false }));
    expect(again.message).toMatch(/^CHECK: 2 are too many/);
    expect(again.traceHash).toBe(error.traceHash);
  });

  test('inputs that JSON cannot tell are kept as they are', async () => {
    const inputs = fc.record({ big: fc.bigInt({ min: 5n }), at: fc.constant(new Date(0)) });
    const program = async (world: World, given: { big: bigint; at: Date }): Promise<void> => {
      await world.sleep(1);
      world.check(given.big < 5n, `${given.big} at ${given.at.getTime()}`);
    };
    const error = await failureOf(explore({ report, faults: false, inputs }, program));
    const again = await failureOf(replay(error.replayFile ?? '', program, { report: false }));
    expect(again.message).toMatch(/^CHECK: 5 at 0$/);
  });

  test('warns when nothing happened at all', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const seen = await explore({ report, runs: 3 }, (world) => world.sleep(1));
    expect(seen.warnings.join('\n')).toMatch(/nothing was ever granted/);
    expect(warned).toHaveBeenCalled();
    warned.mockRestore();
  });

  test('refuses options that it does not know, before anything runs', async () => {
    const program = async (): Promise<void> => expect.unreachable();
    const unknown: ExploreOptions = JSON.parse('{"run":3}');
    await expect(explore(unknown, program)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(explore({ runs: 0 }, program)).rejects.toMatchObject({ code: 'INVALID' });
    vi.stubEnv('HOLDFAST_RUNS', 'many');
    await expect(explore({}, program)).rejects.toThrow('HOLDFAST_RUNS must be a whole number');
  });
});

describe('a replay file', () => {
  const program = (world: World): Promise<void> => addUp(world, 'ignores the signal');

  test('is the run that the environment asks for', async () => {
    const options = { report, name: 'two', ...SILENCES };
    const error = await failureOf(explore(options, program));
    vi.stubEnv('HOLDFAST_REPLAY', error.replayFile ?? '');
    const again = await failureOf(explore(options, program));
    expect(again.traceHash).toBe(error.traceHash);
    expect(again.replayFile).toBe(error.replayFile);
    const other = await explore({ ...options, name: 'another' }, program);
    expect(other.runs).toBe(0);
  });

  test('tells when the program behaves differently now', async () => {
    const error = await failureOf(explore({ report, ...SILENCES }, program));
    const file = error.replayFile ?? '';
    const other = await failureOf(
      replay(file, async () => Promise.reject(new Error('it broke')), { report: false }),
    );
    expect(other.message).toMatch(/behaves differently now: then it was CHECK: two workers/);
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await replay(file, (world) => world.sleep(1), { report: false });
    expect(String(warned.mock.calls[0]?.[0])).toMatch(/does not fail any more/);
    warned.mockRestore();
  });

  test('is refused when it is none', async () => {
    await expect(replay('package.json', program)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(replay('nowhere.json', program)).rejects.toMatchObject({ code: 'INVALID' });
  });
});
