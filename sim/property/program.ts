import type { Scenario, World } from '../api/types.ts';

/** The user's part of an exploration: a scenario, with what was drawn for it. */
export type ExploredProgram<Inputs> = (world: World, inputs: Inputs) => Promise<unknown>;

/** The program with its inputs, which its own arbitrary drew, now or when a file was written. */
export function scenarioOf<Inputs>(
  program: ExploredProgram<Inputs>,
  inputs: unknown,
): Scenario<unknown> {
  const scenario = (world: World): Promise<unknown> =>
    isOf<Inputs>(inputs) ? program(world, inputs) : Promise.resolve();
  // Reports of a scenario are named by its text.
  return Object.assign(scenario, { toString: () => String(program) });
}

function isOf<Inputs>(_drawn: unknown): _drawn is Inputs {
  return true;
}
