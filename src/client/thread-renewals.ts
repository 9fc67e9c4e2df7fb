// Renews the leases of a client from a thread of its own, so that they outlast a client whose event
// loop is busy (`keepAlive: 'worker'`). The deadline lies in shared memory: what the thread has
// renewed is believed without a word from it.
//
// The client's own loop stands by: it renews as well when the thread lets two thirds of the TTL
// pass, and takes over for good when the thread has ended.

import { probes } from '../base/probe.ts';
import type { Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { SharedCells } from './lease-cells.ts';
import { LEASE_CELLS } from './lease-memory.ts';
import type { LeaseMemory } from './lease-memory.ts';
import type { Settings } from './options.ts';
import { memoryOf } from './renewal-host.ts';
import type { LeaseStart, Renewal, RenewalHost, RenewalOwner } from './renewal-host.ts';
import { RENEW_SHARE, Renewer } from './renewer.ts';
import type { RenewerPorts } from './renewer.ts';
import type { RenewalThread, StartRenewalThread, ThreadNews } from './thread-messages.ts';
import { callAt } from './timer.ts';

/** Part of the TTL after which the client's own loop renews although there is a thread. */
const STANDBY_SHARE = 2 / 3;
/** How long the thread may take to start and to find a leader. */
const READY_MS = 5_000;

/** What it takes to have such a thread. */
export interface ThreadPorts extends RenewerPorts {
  readonly logger: Logger;
  readonly startThread: StartRenewalThread;
  readonly settings: Settings;
  /** What isReady answers may have changed. */
  readonly onReady: () => void;
  /** Of the client's own lease clock. */
  readonly origin: { readonly offsetUs: number; readonly suspended: SharedCells };
}

/** See the head of this file. */
export class ThreadRenewals implements RenewalHost {
  private readonly ports: ThreadPorts;
  /** null once it has ended. */
  private thread: RenewalThread | null;
  private hasBegun = false;
  private isSettled = false;
  private readyLimit: Timer | null = null;
  // One for each session that is not over.
  private readonly leases = new Map<number, ThreadRenewal>();
  private numbers = 0;

  constructor(ports: ThreadPorts) {
    this.ports = ports;
    this.thread = ports.startThread({
      onNews: (news) => this.onNews(news),
      onEnded: (reason) => this.onEnded(reason),
    });
  }

  start(lease: LeaseStart, owner: RenewalOwner): Renewal {
    const number = ++this.numbers;
    const cells = SharedCells.make(LEASE_CELLS);
    const memory = memoryOf(lease, cells);
    const share = this.thread === null ? RENEW_SHARE : STANDBY_SHARE;
    const standby = new Renewer(this.ports, { ...lease, memory, share }, owner);
    const renewal = new ThreadRenewal(standby, owner, () => this.stop(number));
    this.leases.set(number, renewal);
    this.begin();
    this.thread?.post({ kind: 'renew', number, lease, memory: cells.buffer });
    return renewal;
  }

  // A lease is renewed by the thread from its first moment on only if the thread runs by then: its
  // holder may block the loop that is to start it.
  isReady(): boolean {
    this.begin();
    return this.thread === null || this.isSettled;
  }

  close(): void {
    this.readyLimit?.cancel();
    this.thread?.end();
    this.thread = null;
  }

  // Not before a leader is known: only then is it certain which cluster is meant.
  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.limitWait();
    const { settings, links, origin } = this.ports;
    const { clusterId, members } = links;
    const { offsetUs, suspended } = origin;
    this.thread?.post({
      kind: 'begin',
      settings,
      known: { clusterId, members },
      offsetUs,
      suspended: suspended.buffer,
    });
  }

  private limitWait(): void {
    const { clock, logger } = this.ports;
    this.readyLimit = callAt(clock, clock.monoUs() + READY_MS * 1000, () => {
      logger.warn(
        `the thread that renews leases has found no leader for ${READY_MS} ms; until it does, ` +
          'they are renewed from the event loop, and lost when it is blocked for longer than the ' +
          'TTL',
      );
      this.noteReady();
    });
  }

  private noteReady(): void {
    this.readyLimit?.cancel();
    this.isSettled = true;
    this.ports.onReady();
  }

  private stop(number: number): void {
    this.leases.delete(number);
    this.thread?.post({ kind: 'stop', number });
  }

  private onNews(news: ThreadNews): void {
    if (news.kind === 'warning') return this.ports.logger.warn(news.message);
    if (news.kind === 'ready') return this.noteReady();
    const owner = this.leases.get(news.number)?.owner;
    if (news.kind === 'confirmed') owner?.onConfirmed();
    else owner?.onDoubt();
  }

  private onEnded(reason: string): void {
    if (this.thread === null) return;
    this.thread = null;
    probes.reach('renewal-thread-ends');
    this.ports.logger.warn(
      `the thread that renews leases has ended (${reason}); from now on they are renewed from ` +
        'the event loop, and lost when it is blocked for longer than the TTL',
    );
    for (const { standby } of this.leases.values()) standby.beginAfter(RENEW_SHARE);
    this.noteReady();
  }
}

class ThreadRenewal implements Renewal {
  readonly standby: Renewer;
  readonly owner: RenewalOwner;
  private readonly onStop: () => void;

  constructor(standby: Renewer, owner: RenewalOwner, onStop: () => void) {
    this.standby = standby;
    this.owner = owner;
    this.onStop = onStop;
  }

  get memory(): LeaseMemory {
    return this.standby.memory;
  }

  onResult(result: KeepAliveResult): void {
    this.standby.onResult(result);
  }

  hurry(): void {
    this.standby.hurry();
  }

  stop(): void {
    this.standby.stop();
    this.onStop();
  }
}
