// Where the leases of a client are renewed: in its own event loop, or in a thread of its own
// beside it (thread-renewals.ts).

import type { SessionId } from '../base/units.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { beliefUs } from './belief.ts';
import { LocalCells } from './lease-cells.ts';
import type { Cells } from './lease-cells.ts';
import { LEASE_CELLS, LeaseMemory } from './lease-memory.ts';
import { RENEW_SHARE, Renewer } from './renewer.ts';
import type { RenewerPorts } from './renewer.ts';

/** The lease as it was opened. */
export interface LeaseStart {
  readonly session: SessionId;
  /** As the cluster returned it. */
  readonly ttlMs: number | null;
  /** Lease time before the first transmission of the open request. */
  readonly sentUs: number;
}

/** Who believes in the lease. */
export interface RenewalOwner {
  /** It was renewed. */
  onConfirmed(): void;
  /** The memory of the lease says that it is over, or its deadline has passed: look there. */
  onDoubt(): void;
}

/** The renewals of one lease. */
export interface Renewal {
  readonly memory: LeaseMemory;
  /** An answer that came over one of the client's own links. */
  onResult(result: KeepAliveResult): void;
  /** Another node leads, or a link came up: an unconfirmed renewal is tried there at once. */
  hurry(): void;
  stop(): void;
}

/** See the head of this file. */
export interface RenewalHost {
  start(lease: LeaseStart, owner: RenewalOwner): Renewal;
  /** A leader is known. False: the next lease would better wait until onReady was called. */
  isReady(): boolean;
  /** Nothing is renewed any more, nor started. */
  close(): void;
}

/** Renews in the loop of whoever starts it. */
export class LoopRenewals implements RenewalHost {
  private readonly ports: RenewerPorts;

  constructor(ports: RenewerPorts) {
    this.ports = ports;
  }

  start(lease: LeaseStart, owner: RenewalOwner): Renewal {
    const memory = memoryOf(lease, new LocalCells(LEASE_CELLS));
    return new Renewer(this.ports, { ...lease, memory, share: RENEW_SHARE }, owner);
  }

  isReady(): boolean {
    return true;
  }

  close(): void {}
}

/** The memory of a lease that was just opened. */
export function memoryOf({ sentUs, ttlMs }: LeaseStart, cells: Cells): LeaseMemory {
  const memory = new LeaseMemory(cells);
  memory.holdEndUs = Infinity;
  memory.confirm(sentUs, sentUs + beliefUs(ttlMs));
  return memory;
}
