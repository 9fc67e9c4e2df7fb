/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The cluster and the user's own code under virtual time.
 *
 * @module holdfast/sim
 */

import { HoldfastError } from '../src/base/error.ts';

export { HoldfastError };
export { SimulationError } from './api/error.ts';
export type { Failure } from './api/error.ts';
export type { OracleName, UserOracleName } from './oracle/verdict.ts';
export type { Duration } from './api/duration.ts';
export type { FencedStore, StoreRecord, StoreWrite } from './api/fenced-store.ts';
export { simulate } from './api/simulate.ts';
export type * from './api/types.ts';
export { WORLD_FAULT_KINDS } from './property/world-fault.ts';
export type { WorldFault, WorldFaultKind } from './property/world-fault.ts';
