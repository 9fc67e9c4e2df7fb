import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createMachineLoader } from '../../src/locks/loader.ts';
import type { LoadedMachine } from '../../src/node/machine-loading.ts';
import { MachineLoading } from '../../src/node/machine-loading.ts';
import { StateBuilder } from '../../src/node/state-builder.ts';
import type { CheckpointView, RowPage } from '../../src/node/storage/types.ts';
import type { MachineRig } from './checkpoint-rig.ts';
import { machineWith, viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';

/** Loads what the disk holds; `mangle` changes the pages on the way. */
function load(
  rig: MachineRig,
  rowSum: string,
  mangle: (page: RowPage) => RowPage = (page) => page,
) {
  const clock = new ManualClock();
  const view = viewOf(rig, clock);
  const answers: LoadedMachine[] = [];
  let turns = 0;
  const rows: CheckpointView['rows'] = (after, _maxBytes, done) =>
    view.rows(after, 300, (result) => {
      turns += 1;
      done(result.ok ? { ok: true, value: mangle(result.value) } : result);
    });
  const builder = new StateBuilder(createMachineLoader(DEFAULT_LIMITS), clock);
  new MachineLoading({ storage: { rows }, builder, rowSum }).start((loaded) =>
    answers.push(loaded),
  );
  expect(answers).toEqual([]);
  clock.turn();
  return { answers, turns, builder };
}

describe('the start from a checkpoint', () => {
  test('loads all rows, a page a turn, and has the state that was stored', () => {
    const rig = machineWith(50);
    const { answers, turns, builder } = load(rig, rig.machine.stateHash());
    expect(turns).toBeGreaterThan(10);
    expect(builder.count).toBe([...rig.machine.rows()].length);
    const [loaded] = answers;
    expect(answers).toHaveLength(1);
    expect(loaded?.ok === true ? loaded.machine.stateHash() : loaded).toBe(rig.machine.stateHash());
  });

  test('INV-20 rows that do not sum up to what the checkpoint names end the node', () => {
    const { answers } = load(machineWith(10), machineWith(11).machine.stateHash());
    expect(answers).toMatchObject([{ ok: false, exit: { exitCode: 83 } }]);
  });

  test('INV-20 a row that makes no sense ends the node, once', () => {
    const rig = machineWith(50);
    const { answers } = load(rig, rig.machine.stateHash(), ({ rows, isLast }) => ({
      rows: rows.map(({ key, value }) => ({ key, value: value.slice(1) })),
      isLast,
    }));
    expect(answers).toMatchObject([{ ok: false, exit: { exitCode: 83 } }]);
    const [first] = answers;
    expect(first?.ok === false ? first.exit.message : '').toContain('wipe the directory');
  });

  test('INV-20 a row that is missing ends the node', () => {
    const rig = machineWith(50);
    let isDropped = false;
    const { answers } = load(rig, rig.machine.stateHash(), ({ rows, isLast }) => {
      const isHere = !isDropped && rows.length > 1;
      isDropped ||= isHere;
      return { rows: isHere ? rows.slice(1) : rows, isLast };
    });
    expect(answers).toMatchObject([{ ok: false, exit: { exitCode: 83 } }]);
  });
});
