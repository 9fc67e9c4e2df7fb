// Faults of the network between nodes. Those that cut a node off leave the clients alone, who go on
// talking to it, unless `arg` is odd.

import type { SimNode } from '../cluster-node.ts';
import type { Impairment, Undo } from '../world/direction.ts';
import { NOTHING_TO_UNDO } from './fault-field.ts';
import type { FaultField, Injector } from './fault-field.ts';
import { clientsNear } from './fault-groups.ts';
import { BANDWIDTHS, PER_MILLE, SPIKE_MS, step } from './fault-steps.ts';
import { all } from './impair.ts';
import { flap, swizzle } from './moving-cuts.ts';
import type { Fault } from './types.ts';

const CUT: Impairment = { isCut: true };

/** By kind. */
export const NETWORK_FAULTS = {
  isolate: (field, fault) => {
    const node = field.node(fault);
    return field.impair([node.id], surroundings(field, node, fault), CUT);
  },
  /** It hears nothing, and is heard. */
  isolateIn: (field, fault) => {
    const node = field.node(fault);
    return field.impair(surroundings(field, node, fault), [node.id], CUT, true);
  },
  /** It hears, and is not heard. */
  isolateOut: (field, fault) => {
    const node = field.node(fault);
    return field.impair([node.id], surroundings(field, node, fault), CUT, true);
  },
  cutPair: (field, fault) => withOther(field, fault, CUT),
  cutOneWay: (field, fault) => withOther(field, fault, CUT, true),
  halves,
  /** The target sees all others; they fall into two parts. */
  bridge: (field, fault) => {
    const others = namesOf(field.others(field.node(fault)));
    const middle = others.length >> 1;
    return field.impair(others.slice(0, middle), others.slice(middle), CUT);
  },
  /** From five nodes on each sees its two neighbours only; three stand in a row. */
  ring,
  flap: (field, fault) => {
    const node = field.node(fault);
    return flap(field, fault, () => field.impair([node.id], field.nodeNames, CUT));
  },
  swizzle,
  reset: (field, fault) => {
    const node = field.node(fault);
    const other = field.other(node, fault);
    if (other === null) return null;
    field.cluster.world.network.resetLinks(node.id, other.id);
    return NOTHING_TO_UNDO;
  },
  /** Every link between nodes. */
  resetAll: (field) => {
    const { network } = field.cluster.world;
    const names = field.nodeNames;
    names.forEach((left, place) => {
      for (const right of names.slice(place + 1)) network.resetLinks(left, right);
    });
    return names.length === 1 ? null : NOTHING_TO_UNDO;
  },
  /** What the present links carry stands still, while new ones are made and are free. */
  stale: (field, fault) => {
    const node = field.node(fault);
    const other = field.other(node, fault);
    return other === null ? null : field.hold([node.id], [other.id], fault);
  },
  /** What the present links carry vanishes, and nobody is told. */
  blackHole: (field, fault) => {
    const node = field.node(fault);
    const other = field.other(node, fault);
    return other === null ? null : field.cluster.world.network.blackHole(node.id, other.id);
  },
  refuse: (field, fault) => withAll(field, fault, { isRefusing: true }),
  hang: (field, fault) => withAll(field, fault, { isHanging: true }),
  slowLink: (field, fault) => withAll(field, fault, { bandwidth: step(BANDWIDTHS, fault) }),
  spike: (field, fault) => withAll(field, fault, { extraUs: step(SPIKE_MS, fault) * 1_000 }),
  loss: (field, fault) => withAll(field, fault, { lossPerMille: step(PER_MILLE, fault) }),
  duplicate: (field, fault) => withAll(field, fault, { duplicatePerMille: step(PER_MILLE, fault) }),
  reorder: (field, fault) => withAll(field, fault, { reorderPerMille: step(PER_MILLE, fault) }),
} as const satisfies Readonly<Record<string, Injector>>;

/**
 * The four lowest bits of `arg` say which of the others are on the side of the target. The bits
 * above say which clients are; without any, all of them see both sides.
 */
function halves(field: FaultField, fault: Fault): Undo | null {
  const node = field.node(fault);
  const others = namesOf(field.others(node));
  const isNear = (place: number): boolean => ((fault.arg >> place) & 1) === 1;
  const clients = field.clientNames;
  const near = clientsNear(fault.arg, clients.length).map((place) => clients[place] ?? '');
  const far = near.length === 0 ? [] : clients.filter((name) => !near.includes(name));
  return field.impair(
    [node.id, ...others.filter((_, place) => isNear(place)), ...near],
    [...others.filter((_, place) => !isNear(place)), ...far],
    CUT,
  );
}

function ring(field: FaultField, fault: Fault): Undo | null {
  const names = field.nodeNames;
  const count = names.length;
  const start = field.nodes.indexOf(field.node(fault));
  const cuts = names.flatMap((left, at) => {
    const gap = count === 3 ? (at === start ? 1 : 0) : 2;
    if (gap === 0) return [];
    return [field.impair([left], [names[(at + gap) % count] ?? left], CUT)];
  });
  const made = cuts.filter((cut) => cut !== null);
  return made.length === 0 ? null : all(made);
}

function surroundings(field: FaultField, node: SimNode, { arg }: Fault): readonly string[] {
  const others = namesOf(field.others(node));
  return arg % 2 === 1 ? [...others, ...field.clientNames] : others;
}

function withOther(
  field: FaultField,
  fault: Fault,
  impairment: Impairment,
  isOneWay = false,
): Undo | null {
  const node = field.node(fault);
  const other = field.other(node, fault);
  if (other === null) return null;
  // The next bit of `arg`: the first one has said which other.
  const isBack = isOneWay && ((fault.arg >> 1) & 1) === 1;
  const [from, to] = isBack ? [other.id, node.id] : [node.id, other.id];
  return field.impair([from], [to], impairment, isOneWay);
}

function withAll(field: FaultField, fault: Fault, impairment: Impairment): Undo | null {
  const node = field.node(fault);
  return field.impair([node.id], namesOf(field.others(node)), impairment);
}

function namesOf(nodes: readonly SimNode[]): readonly string[] {
  return nodes.map((node) => node.id);
}
