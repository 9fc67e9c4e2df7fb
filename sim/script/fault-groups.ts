import type { FaultKind } from './types.ts';

/** Faults whose target is a client, not a node. */
export const CLIENT_TARGETS: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'clientCrash',
  'clientPause',
  'clientSuspend',
  'clientSlow',
  'clientWallJump',
  'clientClockRate',
  'clientIsolate',
  'clientIsolateIn',
  'clientIsolateOut',
  'clientReset',
  'clientStale',
]);
