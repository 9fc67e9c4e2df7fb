// A cluster with clients that are listened to, and the log that its nodes agree on.

import type { NodeId } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster, SimClusterOptions } from '../../sim/cluster.ts';
import { ClientHistory } from '../../sim/oracle/history.ts';
import type { CommittedEntry, CommittedLog } from '../../sim/oracle/types.ts';

/** The log as whoever applied each entry first saw it. */
export class FirstApplied implements CommittedLog {
  readonly entries: CommittedEntry[] = [];

  at(index: number): CommittedEntry | undefined {
    return this.entries[index - (this.entries[0]?.index ?? 0)];
  }

  watch(by: NodeId, nowUs: () => number): HostWatch {
    return {
      started: () => {},
      stepped: () => {},
      installed: () => {},
      applied: ({ index, term }, command, applied) => {
        if (this.entries.length > 0 && index <= (this.entries.at(-1)?.index ?? 0)) return;
        const outcome = applied?.outcome ?? null;
        const events = applied?.events ?? [];
        this.entries.push({ index, term, command, outcome, events, atUs: nowUs(), by });
      },
    };
  }
}

export interface Overheard {
  readonly cluster: SimCluster;
  readonly history: ClientHistory;
  readonly log: FirstApplied;
}

/** A founded cluster with a leader. */
export async function overheard(options: SimClusterOptions): Promise<Overheard> {
  const log = new FirstApplied();
  const nowUs = (): number => cluster.world.nowUs;
  const watch = (id: NodeId): HostWatch => log.watch(id, () => nowUs());
  const cluster = await createSimCluster({ ...options, watch });
  await cluster.waitLeader();
  return { cluster, history: new ClientHistory(nowUs), log };
}
