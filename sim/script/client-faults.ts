// Faults of clients, and of the network between them and the nodes.

import type { SimClient } from '../cluster-client.ts';
import type { Impairment, Undo } from '../world/direction.ts';
import { NOTHING_TO_UNDO } from './fault-field.ts';
import type { FaultField, Injector } from './fault-field.ts';
import { changeRate, jumpWall, slowDown } from './machine-faults.ts';
import type { Fault } from './types.ts';

const CUT: Impairment = { isCut: true };

/** By kind. */
export const CLIENT_FAULTS = {
  clientCrash: (field, fault) =>
    withClient(field, fault, ({ handle }) => {
      if (handle.process.life === null) return null;
      handle.crash({ isSilent: fault.arg % 2 === 1 });
      return () => handle.start();
    }),
  clientPause: (field, fault) => withClient(field, fault, (client) => stop(field, client, 'stop')),
  // Its leases count the time that it slept (RAFT.md §14.2): they hold within the bound, too.
  clientSuspend: (field, fault) =>
    withClient(field, fault, (client) => stop(field, client, 'suspend')),
  clientBlock: (field, fault) =>
    withClient(field, fault, ({ name, handle: { process } }) =>
      field.share(
        `block ${name}`,
        () => process.block(),
        () => process.unblock(),
      ),
    ),
  clientThread: (field, fault) =>
    withClient(field, fault, (client) => (client.failThread() ? NOTHING_TO_UNDO : null)),
  clientSlow: (field, fault) =>
    withClient(field, fault, ({ handle }) => slowDown(handle.process, fault)),
  clientWallJump: (field, fault) =>
    withClient(field, fault, ({ handle }) => jumpWall(handle.process, fault)),
  clientClockRate: (field, fault) =>
    withClient(field, fault, ({ name, handle: { process } }) => {
      const place = field.nodes.length + field.clientNames.indexOf(name);
      return changeRate(field, { process, place }, fault);
    }),
  clientIsolate: (field, fault) =>
    withClient(field, fault, ({ name }) => field.impair([name], field.nodeNames, CUT)),
  clientIsolateIn: (field, fault) =>
    withClient(field, fault, ({ name }) => field.impair(field.nodeNames, [name], CUT, true)),
  clientIsolateOut: (field, fault) =>
    withClient(field, fault, ({ name }) => field.impair([name], field.nodeNames, CUT, true)),
  /** A node that only the other nodes reach. */
  clientsOnly: (field, fault) => field.impair([field.node(fault).id], field.clientNames, CUT),
  clientReset: (field, fault) =>
    withClient(field, fault, ({ name }) => {
      for (const node of field.nodeNames) field.cluster.world.network.resetLinks(name, node);
      return NOTHING_TO_UNDO;
    }),
  clientStale: (field, fault) =>
    withClient(field, fault, ({ name }) => field.hold([name], field.nodeNames, fault)),
} as const satisfies Readonly<Record<string, Injector>>;

function withClient(
  field: FaultField,
  fault: Fault,
  strike: (client: SimClient) => Undo | null,
): Undo | null {
  const client = field.client(fault);
  return client === null ? null : strike(client);
}

function stop(field: FaultField, { name, handle }: SimClient, how: 'stop' | 'suspend'): Undo {
  return field.share(
    `pause ${name}`,
    () => handle.pause(how),
    () => handle.resume(),
  );
}
