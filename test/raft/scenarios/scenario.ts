// What the scenarios of the core share: clusters in known states, hand-made messages, exact forms
// of answers. The harness checks every invariant after each step of each node.

import { expect } from 'vitest';
import type { Entry } from '../../../src/raft/entry.ts';
import type { RaftEffect } from '../../../src/raft/events.ts';
import type { MembershipChange } from '../../../src/raft/membership-change.ts';
import type { Append, AppendResponse, RaftMessage } from '../../../src/raft/messages.ts';
import type { Progress } from '../../../src/raft/progress.ts';
import { CoreCluster, E, configOf, entriesOf, member } from '../unit/harness.ts';
import type { ClusterOptions, CoreNode } from '../unit/harness.ts';

export * from '../unit/harness.ts';

/** The same value so many times: `repeat(2, 3)` is `[2, 2, 2]`. */
export function repeat(value: number, count: number): number[] {
  return Array.from({ length: count }, () => value);
}

/** A cluster in which n1 leads, its no-op is applied everywhere, and nothing is on its way. */
export function elected(options: ClusterOptions = {}): CoreCluster {
  const cluster = new CoreCluster(options);
  cluster.elect('n1');
  cluster.run(cluster.settings.heartbeatUs);
  return cluster;
}

/** Three voters, and n4 as a learner that keeps up; n1 leads. */
export function withLearner(): CoreCluster {
  const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4'] }) });
  cluster.run(cluster.settings.heartbeatUs);
  return cluster;
}

/** Names of the voters of the configuration in force. */
export function votersOf(node: CoreNode): string[] {
  return node.raft.status().config.voters.map(({ nodeId }) => nodeId);
}

/** Code of the answer to a change, null if it was appended. */
export function codeOf(decided: {
  readonly refusal: { readonly code: string } | null;
}): string | null {
  return decided.refusal?.code ?? null;
}

/** A cluster whose nodes are not sticky and do not time out by themselves. */
export function awake(options: ClusterOptions = {}): CoreCluster {
  const cluster = new CoreCluster(options);
  for (const node of cluster.nodes.values()) calm(node);
  return cluster;
}

/** Neither stickiness nor a timeout of its own, until it hears of a leader or is told to go. */
export function calm(node: CoreNode): void {
  node.core.election.stickyUntilUs = 0;
  node.core.election.deadlineUs = Infinity;
}

/** Lets the silence of one node be over now: it asks for pre-votes. */
export function timeOut(cluster: CoreCluster, nodeId: string): void {
  cluster.node(nodeId).core.election.deadlineUs = cluster.nowUs;
  cluster.step(nodeId, { type: 'tick' });
}

/** Makes it a candidate: it times out, and these grant its pre-vote. Vote requests are out. */
export function makeCandidate(
  cluster: CoreCluster,
  nodeId: string,
  granting: readonly string[],
): void {
  timeOut(cluster, nodeId);
  for (const other of granting) deliverLink(cluster, nodeId, other);
  for (const other of granting) deliverLink(cluster, other, nodeId);
  expect(cluster.node(nodeId).role).toBe('candidate');
}

/** Delivers what is on its way there now; not what that causes. */
export function deliverLink(cluster: CoreCluster, from: string, to: string): void {
  for (let left = cluster.link(from, to).length; left > 0; left--) cluster.deliver(from, to);
}

/** One exchange: everything that is on its way there, then everything that comes back. */
export function exchange(cluster: CoreCluster, from: string, to: string): void {
  deliverLink(cluster, from, to);
  deliverLink(cluster, to, from);
}

/** A request for a vote from a log that ends at `[index, term]`. */
export function voteRequest(
  term: number,
  end: readonly [number, number] = [0, 0],
  transfer = false,
): RaftMessage {
  const [lastIndex, lastTerm] = end;
  return { type: 'voteRequest', term, lastIndex, lastTerm, transfer };
}

/** A request for a pre-vote from a log that ends at `[index, term]`. */
export function preVoteRequest(
  nextTerm: number,
  end: readonly [number, number] = [0, 0],
): RaftMessage {
  const [lastIndex, lastTerm] = end;
  return { type: 'preVoteRequest', term: nextTerm - 1, nextTerm, poll: 7, lastIndex, lastTerm };
}

/** A heartbeat of the leader of that term. */
export function heartbeat(term: number, commit = 0, round = 1): RaftMessage {
  return { type: 'heartbeat', term, commit, round };
}

/** Entries with these terms behind `prev`, as a leader of `term` would send them. */
export function appendOf(what: {
  readonly term: number;
  readonly prev: readonly [number, number];
  readonly terms?: readonly number[];
  readonly commit?: number;
}): Append {
  const { term, prev, terms = [], commit = 0 } = what;
  const [prevIndex, prevTerm] = prev;
  const entries = entriesOf(terms, prevIndex).map((entry, at): Entry =>
    at === 0 ? { ...entry, prevTerm } : entry,
  );
  return { type: 'append', term, prevIndex, prevTerm, entries, commit, round: 1 };
}

/** The whole acknowledgement of everything up to `matchIndex`. */
export function ackOf(term: number, matchIndex: number, round = 1): AppendResponse {
  const none = { rejectedPrev: 0, hintIndex: 0, hintTerm: 0 };
  return { type: 'appendResponse', term, ok: true, matchIndex, ...none, round };
}

/** The whole refusal of an Append behind `rejectedPrev`. */
export function refusalOf(
  term: number,
  rejectedPrev: number,
  hint: readonly [number, number],
): AppendResponse {
  const [hintIndex, hintTerm] = hint;
  const at = { rejectedPrev, hintIndex, hintTerm };
  return { type: 'appendResponse', term, ok: false, matchIndex: 0, ...at, round: 1 };
}

/** These learners become voters. */
export function promotionOf(...promote: readonly string[]): MembershipChange {
  return { type: 'change', promote, remove: [] };
}

/** These members leave. */
export function removalOf(...remove: readonly string[]): MembershipChange {
  return { type: 'change', promote: [], remove };
}

/** One becomes a voter, the other leaves, in one step. */
export function replacementOf(leaving: string, coming: string): MembershipChange {
  return { type: 'change', promote: [coming], remove: [leaving] };
}

/** A new node becomes a learner. */
export function additionOf(nodeId: string): MembershipChange {
  return { type: 'addLearner', member: member(nodeId) };
}

/** Messages among effects. */
export function messagesIn(effects: readonly RaftEffect[]): RaftMessage[] {
  return effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
}

/** Messages of one type that a node sent to another, in order. */
export function sentTo<Type extends RaftMessage['type']>(
  node: CoreNode,
  to: string,
  type: Type,
): Extract<RaftMessage, { type: Type }>[] {
  const isWanted = (message: RaftMessage): message is Extract<RaftMessage, { type: Type }> =>
    message.type === type;
  return node.sent
    .filter((each) => each.to === to)
    .map(({ message }) => message)
    .filter(isWanted);
}

/** What a leader knows of a peer. */
export function progressOf(cluster: CoreCluster, leaderId: string, peer: string): Progress {
  const progress = cluster.node(leaderId).core.leader?.progress.get(peer);
  if (progress === undefined) throw new Error(`${leaderId} knows nothing of ${peer}`);
  return progress;
}

/** Ids of the reads that may be answered. */
export function readyIds(node: CoreNode): number[] {
  return node.effects.flatMap((effect) => (effect.type === 'readReady' ? [...effect.ids] : []));
}

/** Ids of the reads that were given up. */
export function failedIds(node: CoreNode): number[] {
  return node.effects.flatMap((effect) => (effect.type === 'readFailed' ? [...effect.ids] : []));
}

/** Texts of the commands that a node applied. */
export function appliedTexts(node: CoreNode): string[] {
  return node.applied.flatMap(({ type, payload }) =>
    type === 'command' ? [new TextDecoder().decode(payload)] : [],
  );
}

/** Runs in steps of half a heartbeat, and looks after each. */
export function runWatching(cluster: CoreCluster, us: number, look: () => void): void {
  const stepUs = cluster.settings.heartbeatUs / 2;
  for (let left = us; left > 0; left -= stepUs) {
    cluster.run(Math.min(left, stepUs));
    look();
  }
}

/** How long it takes until somebody leads. */
export function usUntilLeader(cluster: CoreCluster, limitUs: number = 10 * E): number {
  const startUs = cluster.nowUs;
  cluster.runUntil(() => cluster.leader() !== null, limitUs);
  return cluster.nowUs - startUs;
}
