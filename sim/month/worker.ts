// A client of a month: bursts of requests side by side, so that one commit carries many, and long
// silence between them. Some locks are kept over several bursts, through whatever happens.

import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { SimCluster } from '../cluster.ts';
import type { ClientProgram, SimClient } from '../cluster-client.ts';
import type { FencedWrite } from '../fenced-store.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { Ledger } from './ledger.ts';
import { MINUTE_MS, MONTH_CLIENT, SECOND_MS } from './settings.ts';
import type { Tally } from './tally.ts';

/** From one burst to the next. */
const BURST_EVERY_MS = 150 * SECOND_MS;
/** Locks that one burst takes. */
const BURST = 28;
const NAMES = 160;
const WAIT_MS = 5 * MINUTE_MS;
/** Bursts over which a lock is kept at most. */
const KEPT_BURSTS_MAX = 8;
/** Of so many requests one is for something else than a lock of one's own. */
const SPECIAL_ONE_IN = 6;
const PERMITS = 3;

/** What a program must expect when nodes, networks and its own process fail. */
const EXPECTED: ReadonlySet<ErrorCode> = new Set([
  'WAIT_OVER',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'LOCK_LOST',
  'SESSION_EXPIRED',
  'SESSION_GONE',
  'EVENT_LOOP_BLOCKED',
] as const);

/** What workers write down, and in which cluster. */
export interface WorkerParts {
  readonly cluster: SimCluster;
  readonly ledger: Ledger;
  readonly tally: Tally;
}

/** A process, over all its lives. */
export class Worker {
  readonly client: SimClient;
  private readonly parts: WorkerParts;

  constructor(parts: WorkerParts, name: string, clock: ClockSettings) {
    this.parts = parts;
    this.client = parts.cluster.client(name, MONTH_CLIENT, clock);
    this.work();
  }

  get isAlive(): boolean {
    return this.client.handle.process.life !== null;
  }

  /** Kills it; what it held stays locked until its session expires. */
  crash(): void {
    this.client.handle.crash();
  }

  /** Starts it again. */
  start(): void {
    this.client.handle.start();
    this.work();
  }

  private work(): void {
    const { client } = this;
    const { world } = this.parts.cluster;
    // The client of this life is there once its process has begun.
    world.at(world.nowUs + 1, () => {
      if (this.isAlive) client.run((own) => this.bursts(own));
    });
  }

  // After an outage the bursts that did not take place are made up for, one after the other.
  private async bursts(own: ClientProgram): Promise<never> {
    const beginUs = own.clock.monoUs();
    const phaseMs = this.draw(BURST_EVERY_MS, 0, 'phase');
    for (let burst = 0; ; burst++) {
      const dueUs = beginUs + (phaseMs + burst * BURST_EVERY_MS) * 1_000;
      await own.sleep(Math.max(1, Math.ceil((dueUs - own.clock.monoUs()) / 1_000)));
      void this.guard(() => this.keep(own, burst));
      const requests = Array.from({ length: BURST }, (_, at) => burst * BURST + at);
      await Promise.all(requests.map((id) => this.guard(() => this.takeOnce(own, id))));
    }
  }

  private async takeOnce(own: ClientProgram, id: number): Promise<void> {
    const grant = await this.acquire(own, id);
    this.write(grant);
    await this.giveBack(grant);
  }

  private async keep(own: ClientProgram, burst: number): Promise<void> {
    const name = `kept/${this.draw(NAMES, burst, 'kept')}`;
    const grant = await own.client.lock(name).acquire({ waitMs: WAIT_MS });
    this.parts.tally.operations++;
    const bursts = 1 + this.draw(KEPT_BURSTS_MAX, burst, 'bursts');
    for (let round = 0; round < bursts && grant.held(); round++) {
      this.write(grant);
      await own.sleep(BURST_EVERY_MS);
    }
    if (grant.held()) this.write(grant);
    await this.giveBack(grant);
  }

  private acquire({ client }: ClientProgram, id: number): Promise<Grant> {
    const name = `${this.draw(NAMES, id, 'name')}`;
    const waiting = { waitMs: WAIT_MS };
    const { tally } = this.parts;
    const asked = ((): Promise<Grant> => {
      switch (this.draw(3 * SPECIAL_ONE_IN, id, 'form')) {
        case 0:
          return client.lock(`shared/${name}`).acquire({ ...waiting, mode: 'shared' });
        case 1:
          return client.lockAll([`lock/${name}`, `other/${name}`]).acquire(waiting);
        case 2:
          return client.semaphore(`permits/${name}`, PERMITS).acquire(waiting);
        default:
          return client.lock(`lock/${name}`).acquire(waiting);
      }
    })();
    return asked.then((grant) => {
      tally.operations++;
      return grant;
    });
  }

  private async giveBack(grant: Grant): Promise<void> {
    if (await grant.release()) this.parts.tally.operations++;
  }

  // Makes sure of the lock in the very moment of the write: then it is the newest holder.
  private write(grant: Grant): void {
    if (!grant.held()) return;
    const { token, mode } = grant;
    for (const name of grant.names) {
      const slots = grant.slotsOf(name);
      const write: FencedWrite = { name, token, mode, by: this.client.name };
      if (slots.length === 0) this.parts.ledger.write(write);
      else for (const slot of slots) this.parts.ledger.write({ ...write, slot });
    }
  }

  private async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.tally.failures++;
      if (HoldfastError.is(error) && EXPECTED.has(error.code)) return;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.parts.cluster.verdict.report('API', `${this.client.name} is told ${text}`);
    }
  }

  private draw(limit: number, id: number, label: string): number {
    const { name, handle } = this.client;
    const { random } = this.parts.cluster.world;
    return random.below(limit, label, name, handle.process.incarnation, id);
  }
}
