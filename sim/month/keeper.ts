// Holds locks without a TTL as long as its cluster lives. What it was granted stays granted,
// whatever happens to nodes, and in every cluster that is made of a backup, until somebody breaks
// it: grants that were acknowledged are never lost (INV-12).

import type { Token } from '../../src/base/units.ts';
import type { SimCluster } from '../cluster.ts';
import type { ClientProgram, SimClient } from '../cluster-client.ts';
import { valueOf } from '../cluster-client.ts';
import { DAY_MS, MONTH_CLIENT } from './settings.ts';
import { watchOver } from './waiting.ts';

/** Locks of one keeper. */
const KEPT = 6;

/** Names with their tokens. */
export type KeptLocks = ReadonlyMap<string, Token>;

/** Of one cluster. */
export class Keeper {
  private readonly cluster: SimCluster;
  private readonly client: SimClient;
  private readonly kept: Map<string, Token>;

  /** `before`: what was held in the backup that the cluster is made of. */
  constructor(cluster: SimCluster, before: KeptLocks) {
    this.cluster = cluster;
    this.client = cluster.client('keeper', { ...MONTH_CLIENT, ttlMs: null });
    this.kept = new Map(before);
  }

  /** What it holds, and what was held before it. */
  get locks(): KeptLocks {
    return new Map(this.kept);
  }

  /** Takes some more locks, of this era. */
  async take(era: number): Promise<void> {
    await this.run('the keeper to have its locks', async ({ client }) => {
      for (let at = 0; at < KEPT; at++) {
        const grant = await client.lock(`forever/${era}/${at}`).acquire({ waitMs: DAY_MS });
        this.kept.set(grant.name, grant.token);
      }
    });
  }

  /** All of them are held still, linearizably. */
  async look(): Promise<void> {
    const { verdict } = this.cluster;
    await this.run('the keeper to see its locks', async ({ client }) => {
      for (const [name, token] of this.kept) {
        const { holder } = await client.inspect(name);
        const message = (): string => `${name} was granted as ${token}; it is ${holder?.token} now`;
        verdict.expect(holder?.token === token, 'INV-12', message);
      }
    });
  }

  private async run(what: string, program: (own: ClientProgram) => Promise<void>): Promise<void> {
    await watchOver(this.cluster, 'the keeper', () => this.client.handle.program !== null, DAY_MS);
    const pending = this.client.run(program);
    await watchOver(this.cluster, what, () => pending.isSettled, DAY_MS);
    valueOf(pending.value);
  }
}
