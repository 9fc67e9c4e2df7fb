// The client's links to all nodes and what they know together: which cluster, and who leads.

import { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { NodeId, Term } from '../base/units.ts';
import type { Logger } from '../ports/logger.ts';
import { CLIENT_PROTOCOL } from '../wire/client-messages.ts';
import type { ClientHello, LeaderNews, NodeMessage, Welcome } from '../wire/client-messages.ts';
import { NodeLink } from './link.ts';
import type { LinkOwner, LinkPorts, LinkState } from './link.ts';
import type { Settings } from './options.ts';
import { Roster } from './roster.ts';
import type { KnownMembers } from './roster.ts';

const SILENCE_MS_MAX = 3_000;
const REDIAL_MS_MAX = 2_000;
/** 7 configured, 7 voters, 7 that they are about to replace, and learners. */
const LINKS_MAX = 32;

/** One node as the client sees it. */
export interface NodeView {
  /** `host:port`, as this client dials it. */
  readonly address: string;
  /** null until it greeted once. */
  readonly nodeId: NodeId | null;
  /** How far the link to it is. */
  readonly state: LinkState;
  /** Whether it leads, as far as this client was told. */
  readonly isLeader: boolean;
  /** Why it is not up; null while it is. */
  readonly problem: string | null;
}

/** Whoever uses the links; called outside its own calls. */
export interface LinksOwner {
  onMessage(link: NodeLink, message: NodeMessage): void;
  /** Another link leads, it became ready, or a link came up: what waits may be tried again. */
  onChange(): void;
  onDrain(): void;
  onDown(link: NodeLink): void;
  /** The nodes belong to another cluster than before: nothing of this client is valid there. */
  onClusterChange(error: HoldfastError): void;
}

/** What is known of the cluster before the first node is reached. */
export interface KnownCluster {
  /** To which the nodes must belong; null: to which the first one says. */
  readonly clusterId: string | null;
  readonly members: KnownMembers | null;
}

const NOTHING_KNOWN: KnownCluster = { clusterId: null, members: null };

/** All links of a client; opened once, closed once. */
export class Links implements LinkOwner {
  private readonly ports: LinkPorts;
  private readonly settings: Settings;
  private readonly logger: Logger;
  private readonly owner: LinksOwner;
  private readonly roster: Roster;
  // At most LINKS_MAX.
  private links: readonly NodeLink[] = [];
  private knownClusterId: string | null;
  private isOpen = false;

  constructor(
    ports: LinkPorts & { logger: Logger },
    settings: Settings,
    owner: LinksOwner,
    known: KnownCluster = NOTHING_KNOWN,
  ) {
    this.ports = ports;
    this.settings = settings;
    this.logger = ports.logger;
    this.owner = owner;
    this.knownClusterId = known.clusterId;
    this.roster = new Roster(settings.nodes, known.members);
  }

  get clusterId(): string | null {
    return this.knownClusterId;
  }

  /** null until a node told. */
  get members(): KnownMembers | null {
    return this.roster.members;
  }

  open(): void {
    this.isOpen = true;
    this.review();
  }

  /**
   * The link to the node that leads and is ready, as far as the news tell: of all links that are
   * up, the one that says so of itself in the highest term that any node knows a leader of.
   */
  leader(): NodeLink | null {
    let newest: Term = 0;
    for (const { news } of this.links) {
      if (news === null || news.leaderId === null) continue;
      newest = Math.max(newest, news.term);
    }
    return this.links.find((link) => leads(link, newest)) ?? null;
  }

  /** Links that are up, the leader's first. */
  up(): readonly NodeLink[] {
    const leader = this.leader();
    const others = this.links.filter((link) => link.isUp() && link !== leader);
    return leader === null ? others : [leader, ...others];
  }

  at(address: string): NodeLink | null {
    return this.links.find((link) => link.address === address) ?? null;
  }

  views(): readonly NodeView[] {
    const leader = this.leader();
    return this.links.map((link) => ({
      address: link.address,
      nodeId: link.nodeId,
      state: link.state,
      isLeader: link === leader,
      problem: link.problem,
    }));
  }

  /** Every address with its state, for error messages. */
  describe(): string {
    const leader = this.leader();
    return this.links.map((link) => `${link.address} (${describeLink(link, leader)})`).join(', ');
  }

  close(reason: string): void {
    this.isOpen = false;
    for (const link of this.links) link.close(reason);
  }

  hello(): ClientHello {
    return {
      type: 'hello',
      versionMin: CLIENT_PROTOCOL.min,
      versionMax: CLIENT_PROTOCOL.max,
      clusterId: this.knownClusterId,
      name: this.settings.name,
    };
  }

  onWelcome(link: NodeLink, welcome: Welcome): HoldfastError | null {
    const { version, clusterId } = welcome;
    if (version < CLIENT_PROTOCOL.min || version > CLIENT_PROTOCOL.max) {
      return new HoldfastError('INVALID', `the node speaks version ${version} of the protocol`);
    }
    if (clusterId === null || clusterId === this.knownClusterId) return null;
    if (this.knownClusterId !== null) return this.otherCluster(link, `is of cluster ${clusterId}`);
    this.knownClusterId = clusterId;
    return null;
  }

  onMessages(link: NodeLink, messages: readonly NodeMessage[]): void {
    let isChange = false;
    for (const message of messages) {
      if (message.type === 'goodbye' && message.code === 'CLUSTER_CHANGED') {
        this.otherCluster(link, `says: ${message.message}`);
      }
      if (message.type === 'leader') {
        isChange = true;
        this.meet(message);
      } else if (message.type === 'members') this.learn(message);
      else this.owner.onMessage(link, message);
    }
    if (!isChange) return;
    this.owner.onChange();
    this.review();
  }

  onDrain(): void {
    this.owner.onDrain();
  }

  onDown(link: NodeLink): void {
    this.owner.onDown(link);
    this.review();
  }

  // A stray node among ours is left out with a warning as long as ours lead: a wrong address must
  // not cost a live client its locks. Otherwise the cluster itself was replaced (C18).
  private otherCluster(link: NodeLink, what: string): HoldfastError {
    const text =
      `the node at ${link.address} ${what}; ` +
      `this client belongs to cluster ${this.knownClusterId ?? 'none'}`;
    const error = new HoldfastError('CLUSTER_CHANGED', text);
    const leader = this.leader();
    if (leader !== null && leader !== link) this.logger.warn(error.message);
    else this.owner.onClusterChange(error);
    return error;
  }

  // A client that was told of one node only still finds the leader, at once: a node that has just
  // been started again may lead before we would have dialled it again.
  private meet({ leaderId, address }: LeaderNews): void {
    if (address === null) return;
    const known = this.links.find(({ nodeId }) => nodeId === leaderId) ?? this.at(address);
    if (known === null) this.add(address);
    else known.hurry();
  }

  private learn(news: KnownMembers): void {
    if (this.roster.learn(news)) this.review();
  }

  /** Links those who should be linked, and gives up the others; see roster.ts. */
  private review(): void {
    if (!this.isOpen) return;
    const leader = this.leader();
    if (leader !== null) {
      for (const link of this.roster.surplus(this.links, leader)) this.giveUp(link);
    }
    for (const address of this.roster.missing(this.links, leader !== null)) this.add(address);
  }

  private giveUp(link: NodeLink): void {
    const wasUp = link.isUp();
    this.links = this.links.filter((each) => each !== link);
    link.close('this node is no member of the cluster, or linked already');
    probes.reach('link-without-member');
    if (wasUp) this.owner.onDown(link);
  }

  private add(address: string): void {
    if (this.links.length >= LINKS_MAX || this.at(address) !== null) return;
    const { ttlMs } = this.settings;
    const link = new NodeLink(
      this.ports,
      {
        address,
        redialUsMax: 1000 * Math.min(REDIAL_MS_MAX, (ttlMs ?? Infinity) / 4),
        silenceUs: 1000 * Math.min(SILENCE_MS_MAX, Math.floor((ttlMs ?? Infinity) / 3)),
      },
      this,
    );
    this.links = [...this.links, link];
    link.dial();
  }
}

function leads(link: NodeLink, term: Term): boolean {
  return link.isUp() && link.news !== null && link.news.isReady && link.news.term === term;
}

function describeLink(link: NodeLink, leader: NodeLink | null): string {
  if (link === leader) return 'leads';
  if (link.problem !== null) return link.problem;
  if (link.news === null) return 'has not said who leads';
  const { leaderId } = link.news;
  return leaderId === null ? 'knows no leader' : `says that ${leaderId} leads`;
}
