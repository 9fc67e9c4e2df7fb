// A cluster that is made of a backup, as `holdfast restore` makes it: on nodes of its own, in the
// world of the cluster that the backup is of, under oracles of its own that begin where it begins.

import type { Restored } from '../src/client/restore.ts';
import { restoreCluster } from '../src/client/restore.ts';
import { embargoMsOf } from '../src/locks/embargo.ts';
import type { HostSettings } from '../src/node/host-types.ts';
import type { Settled, SimClient } from './cluster-client.ts';
import type { SimCluster, SimClusterOptions } from './cluster.ts';
import { createSimCluster } from './cluster.ts';
import type { BackupContent } from './month/backup.ts';
import { follow, machineOf } from './month/backup.ts';
import type { Beliefs } from './oracle/belief.ts';
import { LockModel } from './oracle/model.ts';
import { RestoredGrants } from './oracle/restored.ts';
import type { Pending } from './pending.ts';

/** How long each node may take to be there and to answer. */
const PATIENCE_MS = 5_000;

/** What a cluster is to be made of, and who looks on. */
export interface RestoreSetting {
  /** The cluster that the backup is of. */
  readonly old: SimCluster;
  /** What that one began with, as the oracles have it; default: it was founded empty. */
  readonly model?: LockModel;
  readonly backup: BackupContent;
  /** What names of the nodes begin with: another one for each restore. */
  readonly prefix: string;
  /** How many; default 3. */
  readonly nodes?: number;
  readonly settings: Partial<HostSettings>;
  readonly disk?: SimClusterOptions['disk'];
  /** Of the clients of all clusters; null: the old one still runs, and only fencing protects. */
  readonly beliefs: Beliefs | null;
  /** Clusters that were before. */
  readonly before: readonly SimCluster[];
}

/** Starts blank nodes for a restore. */
export async function createBlankNodes(setting: RestoreSetting): Promise<SimCluster> {
  const { old, backup, prefix, nodes = 3, settings, beliefs, before, disk = {} } = setting;
  const { world, verdict } = old;
  const model = setting.model ?? new LockModel(old.settings.limits);
  follow([model], old, backup.meta);
  const lastOf = ({ oracle }: SimCluster): number => oracle.log.entries.at(-1)?.index ?? 0;
  const lastBefore = (): number => Math.max(...before.map(lastOf));
  const grants = new RestoredGrants({ verdict, isBound: beliefs !== null, lastBefore });
  let hasBegun = false;
  let embargoMs = 0;
  const cluster = await createSimCluster({
    seed: 0,
    beside: { world, verdict },
    isFounded: false,
    prefix,
    nodes,
    settings,
    disk,
    model,
    watch: () => ({
      started: (_, start, machine) => {
        embargoMs = machine.embargo()?.embargoMs ?? 0;
        if (!hasBegun) model.becomeRestored(start.applied, embargoMs > 0);
        hasBegun = true;
      },
      stepped: (event, effects) => {
        beliefs?.stepped(event, effects);
        const isElected = effects.some((each) => each.type === 'role' && each.role === 'leader');
        if (isElected) grants.begin(world.nowUs, embargoMs);
      },
      applied: (entry, command) => beliefs?.applied(entry, command),
      installed: () => {},
    }),
  });
  cluster.oracle.follow(grants);
  if (beliefs !== null) cluster.oracle.follow(beliefs);
  return cluster;
}

/** What an operator tells of the old cluster. */
export interface Told {
  /** For so long it has answered nobody; default 0. */
  readonly deadMs?: number;
  /** A maximum TTL that came after the backup; default: none. */
  readonly ttlMsMax?: number;
}

/** Runs `holdfast restore` in that process. */
export function restoreBy(
  operator: SimClient,
  cluster: SimCluster,
  backup: BackupContent,
  { deadMs = 0, ttlMsMax = 0 }: Told = {},
): Pending<Settled<Restored>> {
  const machine = machineOf(backup);
  const embargoMs = embargoMsOf(machine, deadMs, ttlMsMax);
  const { clusterName, nodes } = cluster.settings;
  return operator.run(({ ports }) =>
    restoreCluster(ports, {
      ...{ clusterName, nodes, machine, embargoMs },
      backup: backup.meta,
      patienceMs: PATIENCE_MS,
      tokenFloor: null,
      onNode: () => {},
    }),
  );
}
