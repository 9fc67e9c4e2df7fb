// What was before the cluster of a script that is made of a backup: the old cluster at work, the
// backup, the restore. It is the same for all scripts with the same settings, so that a campaign
// lives it once; a run begins with the directories that the restore left.

import { probes } from '../src/base/probe.ts';
import type { ProbeId } from '../src/base/probe.ts';
import type { Grant } from '../src/client/grant.ts';
import type { Index, SessionId } from '../src/base/units.ts';
import { createLockMachine } from '../src/locks/machine.ts';
import type { LockMachine } from '../src/locks/machine-types.ts';
import type { ReplicatedLimits } from '../src/locks/commands.ts';
import { valueOf } from './cluster-client.ts';
import type { SimClient } from './cluster-client.ts';
import { createSimCluster } from './cluster.ts';
import type { SimCluster } from './cluster.ts';
import { takeBackup } from './month/backup.ts';
import type { BackupContent } from './month/backup.ts';
import { LockModel } from './oracle/model.ts';
import type { CommittedEntry } from './oracle/types.ts';
import type { PastPlan } from './past-plan.ts';
import { createBlankNodes, restoreBy } from './restored-cluster.ts';
import type { DiskImage } from './world/disk-image.ts';

/** One cluster as its backup has it, and what was made of that. */
interface Chapter {
  readonly entries: readonly CommittedEntry[];
  readonly restoredAt: Index;
  readonly embargoMs: number;
}

/** What is kept of pasts; beyond it the oldest is lived again when it is asked for. */
const PASTS_MAX = 64;
/** Of one past. */
const SESSIONS_MAX = 16;
const SEED = 1;
/** Issued after a backup: more than a cluster that forgot of them would soon pass. */
const LATE_TOKENS = 24;
/** How long a belief lasts by a clock that is 1 % off, of 100. */
const BELIEF_PERCENT = 101;
/** Long enough for images to be taken before anybody is elected. */
const PATIENT = { electionMs: 10_000, heartbeatMs: 500 };

/** What a run inherits. */
export class Heritage {
  readonly directories: readonly DiskImage[];
  /** Rare states that were met on the way. */
  readonly hits: ReadonlyMap<ProbeId, number>;
  /** The last entry of any cluster that was. */
  readonly lastBefore: Index;
  /** How long nothing may be granted, worked out without the product. */
  readonly embargoMs: number;
  private readonly chapters: readonly Chapter[];
  private readonly limits: ReplicatedLimits;

  constructor(
    of: Pick<Heritage, 'directories' | 'hits' | 'lastBefore' | 'embargoMs'>,
    chapters: readonly Chapter[],
    limits: ReplicatedLimits,
  ) {
    this.directories = of.directories;
    this.hits = of.hits;
    this.lastBefore = of.lastBefore;
    this.embargoMs = of.embargoMs;
    this.chapters = chapters;
    this.limits = limits;
  }

  /** The state that the run begins with, in the oracles' model. */
  model(): LockModel {
    const model = new LockModel(this.limits);
    tell(this.chapters, model);
    return model;
  }

  /** The same state of the product, which no disk and no file was between. */
  machine(): LockMachine {
    const machine = createLockMachine(this.limits);
    for (const { entries, restoredAt, embargoMs } of this.chapters) {
      for (const { index, term, command } of entries) {
        if (command !== null) machine.apply(index, term, command);
      }
      machine.becomeRestored(restoredAt, embargoMs);
    }
    return machine;
  }

  /** Sessions that are left of the past; nobody is there who would end them. */
  sessions(): readonly SessionId[] {
    return this.machine()
      .sessions(0, SESSIONS_MAX)
      .map(({ session }) => session);
  }

  /** As if one log told of all that is left of the past; each restore is an entry of it. */
  log(): readonly CommittedEntry[] {
    return tell(this.chapters, new LockModel(this.limits));
  }
}

/** Brings an empty model through all of it; gives what happened. */
function tell(chapters: readonly Chapter[], model: LockModel): readonly CommittedEntry[] {
  return chapters.flatMap(({ entries, restoredAt, embargoMs }) => {
    for (const { index, term, command } of entries) {
      if (command !== null) model.apply(index, term, command);
    }
    const events = model.becomeRestored(restoredAt, embargoMs > 0);
    const restore = { term: 0, command: null, outcome: null, atUs: 0, by: 'a restore' };
    return [...entries, { ...restore, index: restoredAt, events }];
  });
}

/** Owned by whoever runs many scripts. A run is the same whether or not its past is here. */
export class Pasts {
  private readonly known = new Map<string, Heritage>();

  /** Not while marks of rare states are collected: they are collected here. */
  async of(plan: PastPlan): Promise<Heritage> {
    const name = JSON.stringify(plan);
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const hits = new Map<ProbeId, number>();
    const release = probes.collect((id) => hits.set(id, (hits.get(id) ?? 0) + 1));
    try {
      const heritage = await new Times(plan).live(hits);
      this.known.set(name, heritage);
      const [oldest] = this.known.keys();
      if (this.known.size > PASTS_MAX && oldest !== undefined) this.known.delete(oldest);
      return heritage;
    } finally {
      release();
    }
  }
}

/** The clusters of one past, one after the other, in one world. */
class Times {
  private readonly plan: PastPlan;
  private readonly clusters: SimCluster[] = [];
  private readonly chapters: Chapter[] = [];

  constructor(plan: PastPlan) {
    this.plan = plan;
  }

  async live(hits: Heritage['hits']): Promise<Heritage> {
    const { plan, chapters } = this;
    let cluster = await this.found();
    let embargoMs = believedMs(Math.max(plan.limits.ttlMsMax, plan.raisedMs), plan.deadMs);
    for (let time = 1; ; time++) {
      const backup = await backupOf(cluster);
      await this.goOn(cluster);
      for (const node of cluster.all()) node.crash();
      const lastBefore = lastOf(cluster);
      const isLast = time === plan.restores;
      const next = await this.restore({ cluster, backup, isLast });
      if (isLast) {
        const directories = next.all().map(({ disk }) => disk.image());
        return new Heritage({ directories, hits, lastBefore, embargoMs }, chapters, plan.limits);
      }
      const ownMs = believedMs(plan.limits.ttlMsMax, plan.deadMs);
      embargoMs = Math.max(ownMs, embargoMs - plan.deadMs);
      cluster = next;
      await cluster.waitLeader();
    }
  }

  /** Locks with and without TTL are held, and waited for; one of them with a lock-delay. */
  private async found(): Promise<SimCluster> {
    const { limits, origin, lockDelayMs } = this.plan;
    const cluster = await createSimCluster({
      ...{ seed: SEED, nodes: 1, prefix: 'a', origin, settings: { limits } },
    });
    this.clusters.push(cluster);
    await cluster.waitLeader();
    const mortal = cluster.client('mortal', { ttlMs: limits.ttlMsMax, lockDelayMs });
    const keeper = cluster.client('keeper', { ttlMs: null });
    await hold(cluster, mortal, 'k1');
    await hold(cluster, mortal, 'old/1');
    await hold(cluster, keeper, 'old/2');
    keeper.run(({ client }) => client.lock('old/1').acquire());
    await cluster.until('a waiter', () =>
      cluster.oracle.log.entries.some(({ events }) => events.some(({ type }) => type === 'queued')),
    );
    return cluster;
  }

  /** What comes after the backup is lost, but for its tokens. */
  private async goOn(cluster: SimCluster): Promise<void> {
    const { ttlMsMax: ttlMs } = this.plan.limits;
    const client = cluster.client(`late ${this.clusters.length}`, { ttlMs });
    for (let token = 0; token < LATE_TOKENS; token++) {
      const grant = await hold(cluster, client, 'late');
      const released = client.run(() => grant.release());
      await cluster.until('a release', () => released.isSettled);
    }
  }

  private async restore(of: {
    readonly cluster: SimCluster;
    readonly backup: BackupContent;
    readonly isLast: boolean;
  }): Promise<SimCluster> {
    const { plan, clusters, chapters } = this;
    const { deadMs, limits } = plan;
    const model = new LockModel(limits);
    tell(chapters, model);
    const cluster = await createBlankNodes({
      old: of.cluster,
      backup: of.backup,
      prefix: of.isLast ? 'n' : 'b',
      nodes: of.isLast ? plan.nodes : 1,
      settings: { limits, ...(of.isLast ? PATIENT : {}) },
      beliefs: null,
      before: [...clusters],
      model,
    });
    const ttlMsMax = chapters.length === 0 ? plan.raisedMs : 0;
    const operator = cluster.client(`restorer ${clusters.length}`);
    const asked = restoreBy(operator, cluster, of.backup, { deadMs, ttlMsMax });
    await cluster.until('the end of the restore', () => asked.isSettled);
    const { origin, embargoMs } = valueOf(asked.value);
    const end = of.backup.meta.checkpoint.point.last.index;
    const entries = of.cluster.oracle.log.entries.filter(({ index }) => index <= end);
    chapters.push({ entries, restoredAt: origin, embargoMs });
    clusters.push(cluster);
    return cluster;
  }
}

async function hold(cluster: SimCluster, client: SimClient, name: string): Promise<Grant> {
  const asked = client.run((own) => own.client.lock(name).acquire());
  await cluster.until(`${client.name} to hold ${name}`, () => asked.isSettled);
  return valueOf(asked.value);
}

async function backupOf(cluster: SimCluster): Promise<BackupContent> {
  const operator = cluster.client(`operator of ${cluster.ids.join()}`);
  const taken = operator.run(({ openAdmin }) => takeBackup(openAdmin()));
  await cluster.until('the backup', () => taken.isSettled);
  return valueOf(taken.value);
}

/** How long clients with this TTL may believe yet by a clock that is 1 % off. */
function believedMs(ttlMs: number, deadMs: number): number {
  return Math.max(0, Math.ceil((ttlMs * BELIEF_PERCENT) / 100) - deadMs);
}

function lastOf({ oracle }: SimCluster): Index {
  return oracle.log.entries.at(-1)?.index ?? 0;
}
