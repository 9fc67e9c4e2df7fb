// Faults of the machines and processes of nodes.

import type { SimNode } from '../cluster-node.ts';
import type { Undo } from '../world/direction.ts';
import type { FaultField, Injector } from './fault-field.ts';
import { all } from './impair.ts';
import { changeRate, jumpWall, slowDown } from './machine-faults.ts';

type Death = 'crash' | 'losePower';

/** By kind. */
export const NODE_FAULTS = {
  /** Killed, and started again when it is over. */
  crash: (field, fault) => kill(field, field.node(fault), 'crash'),
  powerLoss: (field, fault) => kill(field, field.node(fault), 'losePower'),
  crashAll: (field) => killAll(field, 'crash'),
  powerLossAll: (field) => killAll(field, 'losePower'),
  pause: (field, fault) => stop(field, field.node(fault), 'stop'),
  suspend: (field, fault) => stop(field, field.node(fault), 'suspend'),
  slowNode: (field, fault) => slowDown(field.node(fault).process, fault),
  wallJump: (field, fault) => jumpWall(field.node(fault).process, fault),
  clockRate: (field, fault) => {
    const { id, process } = field.node(fault);
    return changeRate(field, { process, place: field.nodeNames.indexOf(id) }, fault);
  },
} as const satisfies Readonly<Record<string, Injector>>;

function kill(field: FaultField, node: SimNode, death: Death): Undo | null {
  if (node.host === null) return null;
  node[death]();
  return () => field.revive(node);
}

function killAll(field: FaultField, death: Death): Undo {
  // The dead ones too: what was not synced is lost with the power.
  for (const node of field.nodes) node[death]();
  return all(field.nodes.map((node) => () => field.revive(node)));
}

function stop(field: FaultField, node: SimNode, how: 'stop' | 'suspend'): Undo | null {
  if (node.host === null) return null;
  return field.share(
    `pause ${node.id}`,
    () => node.pause(how),
    () => node.resume(),
  );
}
