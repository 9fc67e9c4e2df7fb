// The clients of a run: each a process with the shipped library, doing what the script says at the
// true time that it says, and working under what it is granted as users do.

import { present } from '../../src/base/assert.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { SimCluster } from '../cluster.ts';
import type { ClientProgram, SimClient, TransportTap } from '../cluster-client.ts';
import type { Beliefs, Hold } from '../oracle/belief.ts';
import { Fencing } from '../oracle/fencing.ts';
import type { FencingRules } from '../oracle/fencing.ts';
import type { CommittedLog } from '../oracle/types.ts';
import type { Verdict } from '../oracle/verdict.ts';
import type { WatchOracle } from '../oracle/watch.ts';
import { isScarce } from '../script/cluster-options.ts';
import type { Op, Script } from '../script/types.ts';
import type { ClockSettings } from '../world/clock.ts';
import { act } from './acts.ts';
import type { NextLife, Stage } from './scene.ts';
import { Calls } from './calls.ts';
import type { Call } from './calls.ts';
import { Worker } from './worker.ts';
import type { Wait } from './worker.ts';

/** What the clients are made of, and who judges them. */
export interface WorkloadParts {
  readonly verdict: Verdict;
  readonly beliefs: Beliefs;
  readonly watches: WatchOracle;
  /** Told of every write to what locks protect, and whether it was taken. */
  readonly onWrite?: FencingRules['onWrite'];
  /** Listens to what the client of that name sends and hears. */
  readonly tap: (name: string) => TransportTap;
  /** By place, from 0. */
  readonly clientOptions: (place: number) => Omit<ClientOptions, 'nodes' | 'name'>;
  /** By place, from 0. */
  readonly clientClock: (place: number) => ClockSettings;
}

/** Starts the clients c1, c2, … Times of the operations count from here. */
export function startWorkload(cluster: SimCluster, script: Script, parts: WorkloadParts): Workload {
  const workload = new Workload(cluster, script, parts);
  for (const op of script.ops) workload.plan(op);
  return workload;
}

const REQUEST_MS = 10_000;

type Program = (own: ClientProgram) => Promise<void>;

/** See the head of this file. */
export class Workload {
  readonly clients: readonly SimClient[];
  readonly fencing: Fencing;
  private readonly cluster: SimCluster;
  private readonly startUs: number;
  private readonly beliefs: Beliefs;
  private readonly watches: WatchOracle;
  private readonly calls: Calls;
  private readonly workers: readonly Worker[];
  private readonly stage: Stage;
  private planned = 0;
  /** Clients that died and will begin again. */
  private unborn = 0;
  private granted = 0;
  private isWindingDown = false;

  constructor(cluster: SimCluster, script: Script, parts: WorkloadParts) {
    const { verdict, beliefs, watches } = parts;
    const { world } = cluster;
    const isBound = script.clocks.bound === 'within';
    this.cluster = cluster;
    this.startUs = world.nowUs;
    this.beliefs = beliefs;
    this.watches = watches;
    this.calls = new Calls(verdict, () => world.nowUs);
    this.fencing = new Fencing({ verdict, beliefs, isBound, onWrite: parts.onWrite });
    this.workers = Array.from({ length: script.shape.clients }, (_, place) => {
      const name = `c${place + 1}`;
      const options = parts.clientOptions(place);
      const client = cluster.client(name, options, parts.clientClock(place), parts.tap(name));
      return new Worker({ place, sim: client, requestMs: options.requestMs ?? REQUEST_MS });
    });
    this.clients = this.workers.map(({ sim }) => sim);
    this.stage = this.createStage(script);
  }

  /** Grants that clients were told of. */
  get grants(): number {
    return this.granted;
  }

  /** Grants that are believed in now. */
  get holds(): readonly Hold[] {
    return this.beliefs.believed();
  }

  /** Acquires of living clients that are neither granted nor rejected. */
  get waits(): readonly Wait[] {
    return this.workers.flatMap((worker) => worker.waits());
  }

  /** Calls of living clients that have not settled. */
  get outstanding(): readonly Call[] {
    return this.calls.outstanding();
  }

  /** Every operation has begun, all who will begin again have, and nobody holds or asks. */
  get isIdle(): boolean {
    const isDue = this.planned > 0 && !this.isWindingDown;
    if (isDue || this.unborn > 0 || this.outstanding.length > 0) return false;
    return this.workers.every((worker) => worker.shift(0) === undefined);
  }

  /** Who listens, and was not told of all that happened; null: nobody. */
  whoIsBehind(log: CommittedLog): string | null {
    for (const worker of this.workers) worker.endDeadEars();
    return this.watches.behind(log);
  }

  /** For messages: the session of that client, null while it has none. */
  sessionOf(client: string): string | null {
    return this.workers.find(({ name }) => name === client)?.session ?? null;
  }

  /** From now on whoever holds gives back soon, and no further operation begins. */
  windDown(): void {
    this.isWindingDown = true;
  }

  /** Does the operation at its time, or at once if that is past. */
  plan(op: Op): void {
    const { world } = this.cluster;
    const withinUs = world.random.below(US_PER_MS, 'operation', op.id);
    this.planned++;
    world.at(this.startUs + op.atMs * US_PER_MS + withinUs, () => {
      this.planned--;
      if (!this.isWindingDown) this.perform(op);
    });
  }

  /** What is meant for a dead process is not done; a stopped one does it when it goes on. */
  private perform(op: Op): void {
    const worker = this.worker(op.client);
    if (worker.life === null) return;
    this.run(worker, op.kind, (own) => act({ stage: this.stage, worker, op, own }));
  }

  private run({ sim, name }: Worker, what: string, program: Program): void {
    sim.run(async (own) => {
      try {
        await program(own);
      } catch (error) {
        this.calls.onProgramError(`${name}: ${what}`, error);
      }
    });
  }

  private worker(place: number): Worker {
    return present(this.workers[place % this.workers.length], 'a client');
  }

  private createStage(script: Script): Stage {
    const { calls, beliefs, fencing, watches, cluster } = this;
    return {
      world: cluster.world,
      cluster,
      script,
      calls,
      beliefs,
      fencing,
      watches,
      keys: script.shape.keys,
      isScarce: isScarce(script),
      clients: this.clients,
      next: ({ place }) => this.worker(place + 1),
      isWindingDown: () => this.isWindingDown,
      onGrant: () => void this.granted++,
      perform: (worker, what, program) => this.run(worker, what, program),
      restart: (worker, next) => this.restart(worker, next),
    };
  }

  // Not inside the call-back that asks for it: that one still belongs to the life that ends.
  private restart(worker: Worker, next?: NextLife): void {
    const { world } = this.cluster;
    const { life, sim } = worker;
    world.at(world.nowUs, () => {
      if (sim.handle.process.life !== life) return;
      sim.handle.crash();
      if (next === undefined) return sim.handle.start();
      this.unborn++;
      world.at(world.nowUs + next.afterMs * US_PER_MS, () => this.begin(worker, next));
    });
  }

  private begin(worker: Worker, { saved, program }: NextLife): void {
    this.unborn--;
    if (worker.life !== null) return;
    worker.sim.resumeNext(saved);
    worker.sim.handle.start();
    this.run(worker, 'resume', program);
  }
}
