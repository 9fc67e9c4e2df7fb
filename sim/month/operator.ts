// The process that an operator's programs run in: administration and restores, as the command line
// does them.

import { present } from '../../src/base/assert.ts';
import { Admin } from '../../src/client/admin.ts';
import type { SimCluster } from '../cluster.ts';
import { valueOf } from '../cluster-client.ts';
import type { Settled } from '../cluster-client.ts';
import { Pending } from '../pending.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { ProcessPorts } from '../world/ports.ts';
import type { ProcessHandle } from '../world/world.ts';
import { DAY_MS, OPERATOR_PATIENCE_MS } from './settings.ts';
import { watchOver } from './waiting.ts';

/** Of one cluster. */
export class Operator {
  private readonly cluster: SimCluster;
  private readonly handle: ProcessHandle<ProcessPorts>;

  constructor(cluster: SimCluster, clock: ClockSettings) {
    this.cluster = cluster;
    this.handle = cluster.world.process<ProcessPorts>({
      name: 'operator',
      isSync: false,
      clock,
      start: (ports) => ports,
    });
    this.handle.start();
  }

  /** Runs a program until it ends; throws what it throws. */
  async run<T>(what: string, program: (ports: ProcessPorts) => Promise<T>): Promise<T> {
    const { world } = this.cluster;
    const pending = new Pending<Settled<T>>();
    const settle = (settled: Settled<T>): void => pending.settle(settled, world.nowUs);
    const life = present(this.handle.process.life, 'a running operator');
    const run = (): void => {
      program(present(this.handle.program, 'the ports of an operator')).then(
        (value) => settle({ isOk: true, value }),
        (error: unknown) => settle({ isOk: false, error }),
      );
    };
    life.schedule(life.nowUs(), { kind: 'control', run });
    await watchOver(this.cluster, what, () => pending.isSettled, DAY_MS);
    return valueOf(pending.value);
  }

  /** The same for what needs the administration. */
  administer<T>(what: string, program: (admin: Admin) => Promise<T>): Promise<T> {
    return this.run(what, async (ports) => {
      const nodes = this.cluster.addresses();
      const admin = new Admin(ports, { nodes, name: 'operator', patienceMs: OPERATOR_PATIENCE_MS });
      try {
        return await program(admin);
      } finally {
        admin.close();
      }
    });
  }
}
