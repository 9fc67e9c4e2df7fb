import type { FaultKind } from './types.ts';

/** Faults whose target is a client, not a node. */
export const CLIENT_TARGETS: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'clientCrash',
  'clientPause',
  'clientSuspend',
  'clientBlock',
  'clientThread',
  'clientSlow',
  'clientWallJump',
  'clientClockRate',
  'clientIsolate',
  'clientIsolateIn',
  'clientIsolateOut',
  'clientReset',
  'clientStale',
]);

/** Bits of `arg` that place nodes in `halves`; those above place clients. */
const NODE_BITS = 4;

/** Clients on the side of the target of `halves`, by place; without any, all see both sides. */
export function clientsNear(arg: number, clients: number): readonly number[] {
  const bits = arg >> NODE_BITS;
  return Array.from({ length: clients }, (_, place) => place).filter((at) => (bits >> at) & 1);
}
