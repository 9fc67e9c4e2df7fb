// What runs in the thread that renews a client's leases: links of its own to the nodes, the clock
// of the client, and a renewer for each lease.

import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Transport } from '../ports/transport.ts';
import { silentLogger } from '../ports/logger.ts';
import type { NodeMessage } from '../wire/client-messages.ts';
import { LeaseClock } from './lease-clock.ts';
import { SharedCells } from './lease-cells.ts';
import { LeaseMemory } from './lease-memory.ts';
import type { NodeLink } from './link.ts';
import { Links } from './links.ts';
import type { LinksOwner } from './links.ts';
import { RENEW_SHARE, Renewer } from './renewer.ts';
import type { RenewerPorts } from './renewer.ts';
import type { ThreadNews, ThreadOrder } from './thread-messages.ts';

/** What the program needs of its thread. */
export interface ProgramPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Tells the client. */
  readonly tell: (news: ThreadNews) => void;
}

type Order<K extends ThreadOrder['kind']> = Extract<ThreadOrder, { readonly kind: K }>;

/** See the head of this file. */
export class RenewalProgram implements LinksOwner {
  private readonly ports: ProgramPorts;
  private parts: RenewerPorts | null = null;
  // One for each session of the client that is not over.
  private readonly renewers = new Map<number, Renewer>();
  private isReady = false;

  constructor(ports: ProgramPorts) {
    this.ports = ports;
  }

  onOrder(order: ThreadOrder): void {
    if (order.kind === 'begin') this.begin(order);
    else if (order.kind === 'renew') this.renew(order);
    else {
      this.renewers.get(order.number)?.stop();
      this.renewers.delete(order.number);
    }
  }

  onMessage(_link: NodeLink, message: NodeMessage): void {
    if (message.type !== 'keepAliveReply') return;
    for (const result of message.items) {
      for (const renewer of this.renewers.values()) renewer.onResult(result);
    }
  }

  onChange(): void {
    if (!this.isReady && this.parts !== null && this.parts.links.leader() !== null) {
      this.isReady = true;
      this.ports.tell({ kind: 'ready' });
    }
    for (const renewer of this.renewers.values()) renewer.hurry();
  }

  onDrain(): void {}

  onDown(): void {}

  /** The client sees it over its own links, and ends. */
  onClusterChange(): void {}

  private begin({ settings, known, offsetUs, suspended }: Order<'begin'>): void {
    const { clock, random } = this.ports;
    const origin = { offsetUs, suspended: new SharedCells(suspended) };
    const logger = {
      ...silentLogger,
      warn: (message: string) => this.ports.tell({ kind: 'warning', message }),
    };
    const links = new Links({ ...this.ports, logger }, settings, this, known);
    this.parts = { clock, random, links, leaseClock: new LeaseClock(clock, origin) };
    links.open();
  }

  private renew({ number, lease, memory }: Order<'renew'>): void {
    if (this.parts === null) return;
    const task = {
      ...lease,
      memory: new LeaseMemory(new SharedCells(memory)),
      share: RENEW_SHARE,
    };
    const renewer = new Renewer(this.parts, task, {
      onConfirmed: () => this.ports.tell({ kind: 'confirmed', number }),
      onDoubt: () => this.ports.tell({ kind: 'doubt', number }),
    });
    this.renewers.set(number, renewer);
  }
}
