// Functions that a block of a document declares.

import { execute } from './snippets.ts';

/** Runs a block that declares a function, and gives that. */
export async function functionOf(
  block: string,
  name: string,
  names: Record<string, unknown> = {},
): Promise<(...values: unknown[]) => Promise<unknown>> {
  let found: unknown;
  await execute(`${block}\nkeep(${name});`, { ...names, keep: (it: unknown) => (found = it) });
  if (typeof found !== 'function') throw new Error(`${name} is no function`);
  const call = found;
  return async (...values) => call(...values);
}
