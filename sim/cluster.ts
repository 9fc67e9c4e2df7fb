// A cluster of shipped hosts in a simulated world, for scenarios: founded as `holdfast init` does
// it, watched by oracles that see all nodes at once. A broken promise is an InvariantError that
// names it, from whatever runs the world here.

import { InvariantError, present } from '../src/base/assert.ts';
import type { NodeId } from '../src/base/units.ts';
import type { ClientOptions } from '../src/client/options.ts';
import { DEFAULT_LIMITS } from '../src/locks/commands.ts';
import type { HostAnswer, HostReply } from '../src/node/host-types.ts';
import type { HostSettings } from '../src/node/host-types.ts';
import type { ClusterConfig, Member } from '../src/raft/config.ts';
import type { KeepAliveResult, NodeStatus, Query } from '../src/wire/client-messages.ts';
import { encodeBody } from '../src/wire/command.ts';
import type { CommandBody } from '../src/wire/command.ts';
import { SimClient } from './cluster-client.ts';
import type { TransportTap } from './cluster-client.ts';
import { foundCluster } from './cluster-founding.ts';
import type { SimClusterOptions } from './cluster-plan.ts';
import { describeCluster } from './cluster-text.ts';
import type { SimNode } from './cluster-node.ts';
import { SimNodes } from './cluster-nodes.ts';
import type { SimNodeOptions } from './cluster-nodes.ts';
import { SimSession } from './cluster-session.ts';
import { settingsOf } from './cluster-settings.ts';
import type { FoundedImages } from './founded-images.ts';
import { everybodyIn } from './oracle/raft-configs.ts';
import { RaftOracle } from './oracle/raft.ts';
import { watchNode } from './oracle/node-watch.ts';
import { Verdict } from './oracle/verdict.ts';
import { Pending } from './pending.ts';
import type { ClockSettings } from './world/clock.ts';
import type { DiskImage } from './world/disk-image.ts';
import { createWorld } from './world/world.ts';
import type { World } from './world/world.ts';

export type { SimClusterOptions } from './cluster-plan.ts';

const WITHIN_MS = 30_000;
const SESSION_TTL_MS = 600_000;

const FOUNDING_SEED = 1;
/** Addresses that a client takes. */
const CLIENT_NODES_MAX = 7;

/** Starts the nodes, founds the cluster with log origin 0 and returns before a leader is known. */
export async function createSimCluster(options: SimClusterOptions): Promise<SimCluster> {
  const { isFounded = true, images } = options;
  const isCopied = isFounded && images !== undefined;
  const copies = isCopied ? await imagesOf(options, images) : null;
  const directories = options.directories ?? copies;
  const cluster = new SimCluster(options, directories);
  for (const node of cluster.all()) node.start();
  await cluster.until('all nodes started', () => cluster.all().every((node) => node.isStarted));
  const founders = cluster.ids.slice(0, options.founders);
  if (isFounded && directories === null) await foundCluster(cluster, founders, options.origin);
  return cluster;
}

/** See the head of this file. Times of its methods are virtual milliseconds. */
export class SimCluster {
  readonly world: World;
  readonly settings: HostSettings;
  /** What its oracle reports to; others may as well. */
  readonly verdict: Verdict;
  readonly oracle: RaftOracle;
  private readonly machines: SimNodes;
  private sessionsOpened = 0;

  /** `directories`: what the disks hold at first, in order of the nodes; null: nothing. */
  constructor(options: SimClusterOptions, directories: readonly DiskImage[] | null) {
    const count = options.nodes ?? 3;
    const { seed, network = {}, shuffleTies = false, prefix = 'n' } = options;
    const { eventsMax, model, beside } = options;
    const ids = Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);
    this.world = beside?.world ?? createWorld({ seed, network, shuffleTies, eventsMax });
    this.settings = settingsOf(ids, options.settings ?? {});
    const nowUs = (): number => this.world.nowUs;
    this.verdict = beside?.verdict ?? new Verdict(nowUs);
    const { limits } = this.settings;
    this.oracle = new RaftOracle({ verdict: this.verdict, nowUs, limits, model });
    const { watch, onExit, recorder } = options;
    this.machines = new SimNodes({
      world: this.world,
      settings: this.settings,
      disk: options.disk ?? {},
      watch: (id, life) => watchNode(this, [recorder?.watch(id), watch?.(id, life)]),
      onExit: (id, exit) => onExit?.(id, exit),
      onWriteFailed: (id) => this.oracle.writeFailed(id),
    });
    for (const [at, id] of ids.entries()) {
      this.machines.add(id, { clock: options.clocks?.[id] ?? {}, image: directories?.[at] });
    }
    recorder?.attach(this);
  }

  /** Ids of `all`. */
  get ids(): readonly NodeId[] {
    return this.all().map(({ id }) => id);
  }

  /** Nodes whose machines are there, dead or alive, in the order in which they came. */
  all(): readonly SimNode[] {
    return this.machines.present();
  }

  /** Of `all`, who votes by the newest committed configuration; everybody before there is one. */
  voters(): readonly SimNode[] {
    return this.among((config) => [...config.voters, ...config.votersOutgoing]);
  }

  /** The same with its learners. */
  members(): readonly SimNode[] {
    return this.among(everybodyIn);
  }

  /** Where a client that begins now should look: of voters, as many as it takes. */
  addresses(): readonly string[] {
    return this.voters()
      .slice(0, CLIENT_NODES_MAX)
      .map(({ address }) => address);
  }

  /** Any that ever was. */
  node(id: NodeId): SimNode {
    return this.machines.get(id);
  }

  /** Starts another node, by default a blank one, of which the cluster knows nothing yet. */
  addNode(id: NodeId, options: SimNodeOptions = {}): SimNode {
    const node = this.machines.add(id, options);
    node.start();
    return node;
  }

  /** What the node says of itself; throws while it is dead. */
  status(id: NodeId): NodeStatus {
    return present(this.node(id).host, `a running host of ${id}`).status();
  }

  /** The ready leader of the highest term among the living, whoever else thinks so too. */
  leader(): NodeId | null {
    const leading = this.all()
      .filter((node) => node.host !== null && !node.isPaused)
      .map((node) => this.status(node.id))
      .filter((status) => status.role === 'leader' && status.isReady)
      .sort((left, right) => right.term - left.term);
    return leading[0]?.nodeId ?? null;
  }

  /** Runs until somebody leads, other than `not`. */
  async waitLeader(not: NodeId | null = null, withinMs = WITHIN_MS): Promise<NodeId> {
    const isNew = (): boolean => ![null, not].includes(this.leader());
    await this.until(`a leader other than ${not ?? 'none'}`, isNew, withinMs);
    return present(this.leader(), 'the leader that was just seen');
  }

  /** Ids of all but these. */
  others(...ids: readonly NodeId[]): readonly NodeId[] {
    return this.ids.filter((id) => !ids.includes(id));
  }

  async runFor(durationMs: number): Promise<void> {
    await this.world.run(() => this.verdict.violation !== null, durationMs * 1_000);
    this.checkVerdict();
  }

  /** Runs until the condition holds; throws, with what every node says, when it does not. */
  async until(what: string, isTrue: () => boolean, withinMs = WITHIN_MS): Promise<void> {
    const isOver = (): boolean => this.verdict.violation !== null || isTrue();
    const isInTime = await this.world.run(isOver, withinMs * 1_000);
    this.checkVerdict();
    if (isInTime) return;
    throw new InvariantError(`did not come within ${withinMs} ms: ${what}\n${this.describe()}`);
  }

  /** Runs until all these have answered; gives the answers in order. */
  async answers<T>(...pending: readonly Pending<T>[]): Promise<readonly T[]> {
    await this.until('all answers', () => pending.every((each) => each.isSettled));
    return pending.map((each) => each.value);
  }

  /** Hands a command to a node's host; the answer comes while the world runs. */
  send(id: NodeId, command: CommandBody, ackedBelow = 0): Pending<HostReply> {
    const body = encodeBody(command);
    return this.ask(id, (host, done) => host.execute({ body, ackedBelow }, done));
  }

  /** Sends a command and runs until it is answered. */
  async execute(id: NodeId, command: CommandBody): Promise<HostReply> {
    const pending = this.send(id, command);
    await this.until(`an answer to ${command.op} from ${id}`, () => pending.isSettled);
    return pending.value;
  }

  query(id: NodeId, query: Query): Pending<HostAnswer> {
    return this.ask(id, (host, done) => host.query(query, done));
  }

  keepAlive(id: NodeId, session: SimSession): Pending<KeepAliveResult> {
    return this.ask(id, (host, done) => host.keepAlive(session.id, done));
  }

  /** Starts a process with the shipped client, which knows all nodes. */
  client(
    name: string,
    options: Omit<ClientOptions, 'nodes' | 'name'> = {},
    clock: ClockSettings = {},
    tap: TransportTap = (transport) => transport,
  ): SimClient {
    const nodes = (): readonly string[] => this.addresses();
    const plan = { name, nodes, options: { name, ...options }, clock, tap };
    const client = new SimClient(this.world, plan);
    client.handle.start();
    return client;
  }

  /** Opens a session at the node, which must lead. */
  async openSession(at: NodeId, ttlMs: number | null = SESSION_TTL_MS): Promise<SimSession> {
    const nonce = `${++this.sessionsOpened}`.padStart(16, '0');
    const body = { op: 'openSession', nonce, ttlMs, lockDelayMs: 0, name: '', meta: '' } as const;
    const { outcome } = await this.execute(at, body);
    if (outcome.code === 'OPENED') return new SimSession(this, outcome.session);
    throw new InvariantError(`expected OPENED, got ${JSON.stringify(outcome)}`);
  }

  /** Every living node has applied everything that any of them has, in the same state. */
  async converge(withinMs = WITHIN_MS): Promise<void> {
    await this.until('equal logs and states', () => this.isEven(), withinMs);
    this.oracle.lookAtAll();
    this.checkVerdict();
  }

  /** Statuses of those that run. */
  living(): readonly NodeStatus[] {
    return this.all()
      .filter((node) => node.host !== null)
      .map((node) => this.status(node.id));
  }

  /** For messages: every node in one line, then the newest log lines. */
  describe(): string {
    return describeCluster(this);
  }

  /** Calls the host of a node and gives what it will answer. */
  ask<T>(
    id: NodeId,
    call: (host: NonNullable<SimNode['host']>, done: (answer: T) => void) => void,
  ): Pending<T> {
    const pending = new Pending<T>();
    this.node(id).call((host) => {
      call(host, (answer) => pending.settle(answer, this.world.nowUs));
    });
    return pending;
  }

  private among(part: (config: ClusterConfig) => readonly Member[]): readonly SimNode[] {
    const config = this.oracle.membership;
    if (config === null) return this.all();
    const ids = new Set(part(config).map(({ nodeId }) => nodeId));
    return this.all().filter(({ id }) => ids.has(id));
  }

  private isEven(): boolean {
    const members = this.members().filter((node) => node.host !== null);
    const living = members.map(({ id }) => this.status(id));
    const furthest = Math.max(...living.map((each) => each.lastIndex));
    return living.every((each) => each.appliedIndex === furthest && each.lastIndex === furthest);
  }

  private checkVerdict(): void {
    const { violation } = this.verdict;
    if (violation === null) return;
    const { oracle, message, atUs } = violation;
    throw new InvariantError(`${oracle} at ${atUs} us: ${message}\n${this.describe()}`);
  }
}

/** Founds in a world of its own, whose luck is always the same: see `FoundedImages`. */
async function imagesOf(
  { nodes = 3, founders = nodes, origin = 0, settings = {} }: SimClusterOptions,
  images: FoundedImages,
): Promise<readonly DiskImage[]> {
  // Nothing else of the settings gets into a directory.
  const { clusterName = 'sim', limits = DEFAULT_LIMITS } = settings;
  const founding = { nodes: founders, origin, settings: { clusterName, limits } };
  return images.of(JSON.stringify(founding), async () => {
    const cluster = await createSimCluster({ seed: FOUNDING_SEED, ...founding });
    return cluster.all().map(({ disk }) => disk.image());
  });
}
