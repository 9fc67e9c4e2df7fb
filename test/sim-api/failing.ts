import { SimulationError } from '../../sim/api/error.ts';
import { simulate } from '../../sim/api/simulate.ts';
import type { Scenario, SimulateOptions } from '../../sim/api/types.ts';

/** The error of a run that must fail. */
export async function failing(
  scenario: Scenario<unknown>,
  options: Partial<SimulateOptions> = {},
): Promise<SimulationError> {
  const failure: unknown = await simulate({ seed: 1, report: false, ...options }, scenario).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof SimulationError) return failure;
  throw new Error('the run was to fail', { cause: failure });
}
