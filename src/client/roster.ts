// Where the nodes are: first what the client was configured with, then what they tell. Members come
// and go, so that of the configured addresses none may be right one day; a client that runs for
// years follows the cluster, and does not dial for ever where a node was once.
//
// 1. Every member has a link: by a configured address, if that is how it was reached (there may be
//    a proxy or another name), otherwise by its own.
// 2. A link that leads to no member is given up, but not before a leader is linked: what nodes told
//    may be out of date, or may lead nowhere from here.
// 3. While no leader is linked, the configured addresses are tried as well.

import type { NodeId } from '../base/units.ts';
import type { MembersNews } from '../wire/client-messages.ts';

/** Who the members are, as of an index. */
export type KnownMembers = Pick<MembersNews, 'configIndex' | 'members'>;

/** A link, as far as it matters here. */
export interface RosterLink {
  readonly address: string;
  /** Known from its last welcome. */
  readonly nodeId: NodeId | null;
  isUp(): boolean;
}

/** See the head of this file. */
export class Roster {
  private readonly configured: readonly string[];
  private known: KnownMembers | null;

  constructor(configured: readonly string[], known: KnownMembers | null) {
    this.configured = configured;
    this.known = known;
  }

  /** null until a node told. */
  get members(): KnownMembers | null {
    return this.known;
  }

  /** A node may be behind: the highest index wins. False: it is not news. */
  learn({ configIndex, members }: KnownMembers): boolean {
    if (this.known !== null && configIndex <= this.known.configIndex) return false;
    this.known = { configIndex, members };
    return true;
  }

  /** Addresses that should have a link and have none. */
  missing(links: readonly RosterLink[], hasLeader: boolean): readonly string[] {
    const addresses = new Set(hasLeader ? [] : this.configured);
    for (const { nodeId, address } of this.known?.members ?? []) {
      if (!links.some((link) => link.nodeId === nodeId)) addresses.add(address);
    }
    for (const link of links) addresses.delete(link.address);
    return [...addresses];
  }

  /** Links that should be given up, given that `leader` leads. */
  surplus<L extends RosterLink>(links: readonly L[], leader: L): readonly L[] {
    return links.filter((link) => link !== leader && !this.isOfUse(link, links));
  }

  private isOfUse(link: RosterLink, links: readonly RosterLink[]): boolean {
    if (this.known === null) return true;
    const isConfigured = this.configured.includes(link.address);
    if (link.nodeId !== null) {
      if (!this.isMember(link.nodeId)) return false;
      return isConfigured || !links.some((other) => this.replaces(other, link));
    }
    // Not reached yet: a member's own address, or perhaps another name of one that is not linked.
    if (this.known.members.some(({ address }) => address === link.address)) return true;
    return isConfigured && !this.areAllUp(links);
  }

  private isMember(nodeId: NodeId): boolean {
    return this.known?.members.some((member) => member.nodeId === nodeId) ?? false;
  }

  /** Both lead to one node, and this one is how the client was told to reach it. */
  private replaces(other: RosterLink, link: RosterLink): boolean {
    if (other === link || other.nodeId !== link.nodeId) return false;
    return other.isUp() && this.configured.includes(other.address);
  }

  private areAllUp(links: readonly RosterLink[]): boolean {
    const members = this.known?.members ?? [];
    return members.every(({ nodeId }) =>
      links.some((link) => link.nodeId === nodeId && link.isUp()),
    );
  }
}
