/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Property tests of the user's own code in simulated worlds. Needs the package fast-check.
 *
 * @module holdfast/sim/property
 */

export { faults } from './arbitrary.ts';
export type { FaultsOptions } from './arbitrary.ts';
export { explore } from './explore.ts';
export type { Exploration } from './explore.ts';
export type { ExploreOptions } from './explore-options.ts';
export type { ExploredProgram } from './program.ts';
export { replay } from './replay.ts';
export type { ReplayOptions } from './replay.ts';
export { WORLD_FAULT_KINDS } from './world-fault.ts';
export type { WorldFault, WorldFaultKind } from './world-fault.ts';
