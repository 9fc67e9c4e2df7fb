// The life of one cluster of a month, from its founding or its restore to its end: a world of its
// own, whose wall clocks go on where those of the world before stopped.

import type { NodeId } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import { originAt } from '../../src/node/founding.ts';
import { createSimCluster } from '../cluster.ts';
import type { SimCluster } from '../cluster.ts';
import type { LockModel } from '../oracle/model.ts';
import { RestoredGrants } from '../oracle/restored.ts';
import { reportExit } from '../oracle/verdict.ts';
import { emptyModels, follow, restoreInto, takeBackup, machineOf } from './backup.ts';
import type { Backup } from './backup.ts';
import { Keeper } from './keeper.ts';
import type { Ledger } from './ledger.ts';
import { Operator } from './operator.ts';
import { HOUR_MS, MONTH_HOST, MONTH_NETWORK } from './settings.ts';
import { isElected } from './tally.ts';
import type { Tally } from './tally.ts';
import { settle } from './waiting.ts';
import { Worker } from './worker.ts';

const NODES = 3;
const WORKERS = 3;
/** Wall time at which a month begins: that of a world without skew. */
const BEGIN_MS = 1_800_000_000_000;
/** Clocks of machines differ by so much, within the bound that leases are built on. */
const DRIFT_PPM_MAX = 2_000;
const EVENTS_MAX = 200_000_000;

/** What an era begins with. */
export interface EraPlan {
  readonly number: number;
  readonly seed: number;
  /** Cluster time before it. */
  readonly beginMs: number;
  /** Null: it is founded. */
  readonly from: Backup | null;
  /** Clusters that will be made of its backup, and of theirs. */
  readonly descendants: number;
  readonly ledger: Ledger;
  readonly tally: Tally;
}

/** See the head of this file. */
export class Era {
  readonly plan: EraPlan;
  readonly cluster: SimCluster;
  readonly operator: Operator;
  readonly workers: Worker[] = [];
  private readonly keeper: Keeper;
  private readonly models: Backup['models'];
  private newcomers = 0;

  private constructor(plan: EraPlan, cluster: SimCluster, models: Backup['models']) {
    this.plan = plan;
    this.cluster = cluster;
    this.models = models;
    const skewMs = plan.beginMs;
    this.operator = new Operator(cluster, { skewMs });
    this.keeper = new Keeper(cluster, plan.from?.kept ?? new Map());
  }

  /** Machines with a cluster of one's own, or blank ones if it is to be made of a backup. */
  static async create(plan: EraPlan): Promise<Era> {
    const { ledger, from, descendants, beginMs, seed, tally } = plan;
    const restored = from?.models.splice(0, 1 + descendants) ?? [];
    const [model, ...others] = restored;
    let embargo: RestoredGrants | null = null;
    const clocks = Array.from({ length: NODES }, (_, at) => {
      return [`n${at + 1}`, { skewMs: beginMs, driftPpm: driftOf(seed, at) }] as const;
    });
    const cluster: SimCluster = await createSimCluster({
      seed,
      nodes: NODES,
      settings: MONTH_HOST,
      network: MONTH_NETWORK,
      eventsMax: EVENTS_MAX,
      clocks: Object.fromEntries(clocks),
      isFounded: from === null,
      origin: originAt(BEGIN_MS + beginMs),
      watch: () =>
        watchBy({ tally, restored, embargo: () => embargo, nowUs: () => cluster.world.nowUs }),
      onExit: (id, exit) => reportExit(cluster.verdict, id, exit),
      ...(model === undefined ? {} : { model }),
    });
    const { verdict, oracle } = cluster;
    const tokenBefore = ledger.largestToken;
    oracle.follow(ledger.begin(verdict));
    if (from !== null) {
      embargo = new RestoredGrants({ verdict, isBound: true, lastBefore: () => tokenBefore });
      oracle.follow(embargo);
    }
    const models = from === null ? emptyModels(descendants, cluster) : others;
    return new Era(plan, cluster, models);
  }

  /** Restores it if it is not founded; then it works, and its clients too. */
  async begin(): Promise<void> {
    const { cluster, operator, plan } = this;
    const { from, tally } = plan;
    if (from !== null) {
      await restoreInto(cluster, operator, from);
      tally.restores++;
    }
    await this.settle();
    await this.beginWork();
  }

  /** Cluster time of this era. */
  get timeMs(): number {
    return this.cluster.world.nowUs / 1_000;
  }

  /** A number below the limit, the same for the same label and id. */
  draw(limit: number, label: string, id: number): number {
    return this.cluster.world.random.below(limit, label, id);
  }

  /** Everything is healed and everybody has caught up; all that was granted for ever is held. */
  async settle(): Promise<void> {
    await settle(this.cluster, HOUR_MS);
  }

  /** What was granted for ever is held. */
  look(): Promise<void> {
    return this.keeper.look();
  }

  /** Starts a blank machine whose name was never used; gives its name. */
  addBlank(): NodeId {
    const id = `n${NODES + ++this.newcomers}`;
    const { seed, beginMs } = this.plan;
    const driftPpm = driftOf(seed, NODES + this.newcomers);
    this.cluster.addNode(id, { clock: { skewMs: beginMs, driftPpm } });
    return id;
  }

  /** A backup, judged by what was acknowledged before it was asked for. */
  async backup(): Promise<Backup> {
    const { cluster, models } = this;
    const least = cluster.oracle.log.entries.at(-1)?.index ?? 0;
    const kept = this.keeper.locks;
    const content = await this.operator.administer('a backup', takeBackup);
    cluster.oracle.checkBackup(content.meta, machineOf(content), least);
    return { ...content, kept, models };
  }

  /** The models of the oracles follow to the backup that descendants are made of. */
  keep({ meta, models }: Backup): void {
    follow(models, this.cluster, meta);
  }

  /** The old cluster stops for good, in the middle of its work. */
  async end(): Promise<void> {
    const { cluster, plan } = this;
    await this.settle();
    await cluster.runFor(HOUR_MS / 60);
    cluster.oracle.lookAtAll();
    await cluster.runFor(1);
    const { tally, ledger } = plan;
    tally.timeMs += this.timeMs;
    tally.events += cluster.world.trace.length;
    tally.entries += cluster.oracle.log.entries.length;
    tally.staleWritesRefused = ledger.staleWritesRefused;
    for (const node of cluster.all()) node.crash();
  }

  private async beginWork(): Promise<void> {
    const { cluster, keeper, workers, plan } = this;
    const { ledger, tally, number, seed, beginMs } = plan;
    await keeper.look();
    await keeper.take(number);
    for (let at = 0; at < WORKERS; at++) {
      const clock = { skewMs: beginMs, driftPpm: driftOf(seed + 1, at) };
      workers.push(new Worker({ cluster, ledger, tally }, `worker${at + 1}`, clock));
    }
  }
}

// Drawn, but for who is looked at: a clock keeps its rate.
function driftOf(seed: number, at: number): number {
  return (((seed % 97) * 31 + at * 1_103) % (2 * DRIFT_PPM_MAX)) - DRIFT_PPM_MAX;
}

/** Who looks on while the nodes of an era live. */
interface Onlookers {
  readonly tally: Tally;
  /** Models in the state of the backup, until the first node begins with what became of it. */
  readonly restored: LockModel[];
  readonly embargo: () => RestoredGrants | null;
  readonly nowUs: () => number;
}

function watchBy({ tally, restored, embargo, nowUs }: Onlookers): HostWatch {
  const watch = tally.watch();
  let embargoMs = 0;
  return {
    ...watch,
    started: (core, start, machine) => {
      embargoMs = machine.embargo()?.embargoMs ?? 0;
      for (const model of restored.splice(0)) model.becomeRestored(start.applied, embargoMs > 0);
      watch.started(core, start, machine);
    },
    stepped: (event, effects) => {
      if (isElected(effects)) embargo()?.begin(nowUs(), embargoMs);
      watch.stepped(event, effects);
    },
  };
}
