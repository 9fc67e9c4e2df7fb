// Founds a cluster: brings one record, made by the first node of the file, to every node of it
// (DESIGN.md §4.12). Nothing is decided here that a second run could decide differently:
//
// 1. The first node makes the record and has it on disk before it answers.
// 2. We stop, by a crash or because another node is down.
// 3. The next run finds the record at the first node and copies that very one to the rest.
//
// So a half-done founding is completed, and two runs side by side found one cluster. A record of
// another cluster anywhere, or another data directory than the record names, is refused: going on
// would make two clusters out of one set of nodes.

import { present } from '../base/assert.ts';
import { HoldfastError } from '../base/error.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import type { Member } from '../raft/config.ts';
import type { FoundingStep, QueryResult } from '../wire/client-messages.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import { askNode } from './single-request.ts';
import type { SingleRequestPorts } from './single-request.ts';

/** A node as the configuration file names it. */
export interface PlannedNode {
  readonly id: NodeId;
  readonly address: string;
}

/** Which nodes are asked. */
export interface NodesPlan {
  /** At least one; the first makes the record. */
  readonly nodes: readonly PlannedNode[];
  /** How long each node may take to be there and to answer. */
  readonly patienceMs: number;
  /** Hears now and then which node is awaited, and what is in the way. */
  readonly onWaiting?: (node: PlannedNode, problem: string) => void;
}

/** What the configuration file says of the cluster to be. */
export interface FoundingPlan extends NodesPlan {
  readonly clusterName: string;
  readonly limits: ReplicatedLimits;
  /** The log starts after it; null: from the clock, so that tokens never repeat. */
  readonly origin: Index | null;
}

export interface Founded {
  readonly clusterId: string;
  readonly clusterName: string;
  /** Nodes that this run founded; empty when all of them belonged to the cluster before. */
  readonly founded: readonly NodeId[];
}

/** What one node said of itself. */
export interface Standing {
  readonly node: PlannedNode;
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly isFounded: boolean;
  readonly record: FoundingRecord | null;
}

/**
 * Founds the planned cluster or completes its founding. Rejects with UNAVAILABLE when a node was
 * not reached, CONFIG when a node is not who the plan says, CLUSTER_CHANGED when one belongs to
 * another cluster or has another data directory than the record says. Whatever was done by then
 * is what the next run goes on with.
 */
export async function foundCluster(
  ports: SingleRequestPorts,
  plan: FoundingPlan,
): Promise<Founded> {
  const standings = await askStandings(ports, plan);
  const record = commonRecord(standings) ?? (await mint(ports, plan, standings));
  checkRecord(record, plan, standings);
  const founded: NodeId[] = [];
  for (const { node, isFounded } of standings) {
    if (isFounded) continue;
    const standing = await askStep(ports, plan, { node, step: { step: 'found', record } });
    if (!standing.isFounded) {
      throw new HoldfastError('INTERNAL', `${show(node)} took the record and is still blank`);
    }
    founded.push(node.id);
  }
  return { clusterId: record.clusterId, clusterName: record.clusterName, founded };
}

/**
 * What the nodes say of themselves; each is who the plan takes it for. Rejects as foundCluster.
 */
export async function askStandings(
  ports: SingleRequestPorts,
  plan: NodesPlan,
): Promise<Standing[]> {
  const step: FoundingStep = { step: 'ask' };
  const answers = await Promise.allSettled(
    plan.nodes.map((node) => askStep(ports, plan, { node, step })),
  );
  const problems: unknown[] = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason] : [],
  );
  // One at a time would have the operator start and try once for every node that is down.
  if (problems.length > 1 && problems.every(isUnavailable)) {
    throw new HoldfastError(
      'UNAVAILABLE',
      `every node must run to found a cluster: ${problems.map(withoutCode).join('; ')}`,
    );
  }
  if (problems.length > 0) throw problems[0];
  const standings = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? [answer.value] : [],
  );
  checkIdentities(standings);
  return standings;
}

/** Every node is who the plan takes it for, and no two are the same directory. */
function checkIdentities(standings: readonly Standing[]): void {
  for (const { node, nodeId } of standings) {
    if (nodeId !== node.id) {
      throw new HoldfastError('CONFIG', `expected ${show(node)}; the node there is ${nodeId}`);
    }
  }
  const stores = new Map(standings.map(({ node, storeId }) => [storeId, node.id]));
  for (const { node, storeId } of standings) {
    const other = stores.get(storeId);
    if (other !== node.id) {
      throw new HoldfastError('CONFIG', `${node.id} and ${String(other)} are one data directory`);
    }
  }
}

/** The record that all who have one share; null when nobody has one. Throws CLUSTER_CHANGED. */
export function commonRecord(standings: readonly Standing[]): FoundingRecord | null {
  const withRecord = standings.filter((standing) => standing.record !== null);
  const record = withRecord[0]?.record ?? null;
  if (withRecord.every((standing) => standing.record?.clusterId === record?.clusterId)) {
    return record;
  }
  const list = withRecord.map(
    ({ node, record: own }) => `${node.id}: ${own?.clusterName ?? ''} (${own?.clusterId ?? ''})`,
  );
  throw new HoldfastError(
    'CLUSTER_CHANGED',
    `expected nodes of one cluster; they belong to several: ${list.join(', ')}`,
  );
}

async function mint(
  ports: SingleRequestPorts,
  plan: FoundingPlan,
  standings: readonly Standing[],
): Promise<FoundingRecord> {
  const first = present(plan.nodes[0], 'a plan has at least one node');
  const members = membersOf(standings);
  const { clusterName, limits, origin } = plan;
  const step: FoundingStep = { step: 'mint', clusterName, members, limits, origin };
  const { record } = await askStep(ports, plan, { node: first, step });
  return present(record, 'a node that mints answers with its record');
}

/** The nodes as members, with the directories that they have now. */
export function membersOf(standings: readonly Standing[]): Member[] {
  return standings.map(({ node, storeId }) => ({
    nodeId: node.id,
    storeId,
    address: node.address,
  }));
}

/**
 * The record is of the planned cluster; and as long as somebody is still to be founded by it, its
 * members are the plan's, with the directories that the nodes have now. Later the log knows the
 * members, and the file need not.
 */
function checkRecord(
  record: FoundingRecord,
  plan: FoundingPlan,
  standings: readonly Standing[],
): void {
  const problem =
    record.clusterName === plan.clusterName
      ? memberProblem(record, standings)
      : `the nodes belong to the cluster "${record.clusterName}", not to "${plan.clusterName}"`;
  if (problem !== null) throw new HoldfastError('CLUSTER_CHANGED', problem);
}

/** Why a node cannot be brought into a founded cluster; null: nothing is in the way. */
export function memberProblem(
  record: FoundingRecord,
  standings: readonly Standing[],
): string | null {
  if (standings.every((standing) => standing.isFounded)) return null;
  for (const { node, storeId } of standings) {
    const member = record.members.find((candidate) => candidate.nodeId === node.id);
    if (member === undefined) return `the cluster was founded without ${show(node)}`;
    if (member.storeId !== storeId) {
      return (
        `the data directory of ${show(node)} is not the one that the cluster was founded with: ` +
        'bring the old one back, or replace the node as a member'
      );
    }
  }
  const absent = record.members.find(
    (member) => !standings.some((standing) => standing.node.id === member.nodeId),
  );
  return absent === undefined
    ? null
    : `the cluster was founded with ${absent.nodeId}, which the file does not name`;
}

/** One step at one node. Rejects with UNAVAILABLE, and with what the node refuses. */
export async function askStep(
  ports: SingleRequestPorts,
  plan: NodesPlan,
  { node, step }: { readonly node: PlannedNode; readonly step: FoundingStep },
): Promise<Standing> {
  const result = await askNode(ports, {
    address: node.address,
    question: { type: 'founding', step },
    patienceMs: plan.patienceMs,
    onWaiting: (problem) => plan.onWaiting?.(node, problem),
  });
  return standingOf(node, result);
}

/** What the node's answer to a step says of it. Throws what the node refuses. */
export function standingOf(node: PlannedNode, result: QueryResult): Standing {
  if (result.kind === 'refused') {
    throw new HoldfastError(result.code, `${show(node)}: ${result.message}`);
  }
  if (result.kind !== 'founding') {
    throw new HoldfastError('INTERNAL', `${show(node)} answered a founding step as ${result.kind}`);
  }
  const { nodeId, storeId, record } = result;
  return { node, nodeId, storeId, record, isFounded: result.state === 'founded' };
}

function show(node: PlannedNode): string {
  return `${node.id} at ${node.address}`;
}

function isUnavailable(problem: unknown): boolean {
  return HoldfastError.is(problem) && problem.code === 'UNAVAILABLE';
}

function withoutCode(problem: unknown): string {
  return problem instanceof Error ? problem.message.replace(/^UNAVAILABLE: /, '') : String(problem);
}
