import type { Index, NodeId } from '../base/units.ts';
import type { Logger } from '../ports/logger.ts';
import type { Member } from '../raft/config.ts';
import type { RaftStatus } from '../raft/events.ts';
import type { MembershipView, MembersNews } from '../wire/client-messages.ts';
import type { Alarms } from './alarms.ts';
import type { Identity } from './handshake.ts';
import { membersOf } from './handshake.ts';
import { membershipView } from './membership-view.ts';
import type { Membership, Peers } from './peers.ts';

export interface MembersOptions {
  readonly self: Identity;
  readonly status: () => RaftStatus;
  readonly peers: Peers;
  readonly alarms: Alarms;
  readonly logger: Logger;
  /** Another configuration is in force, or the one in force was committed. */
  readonly onChange: () => void;
}

/** Who takes part, for those who ask, and for the connections that follow from it. */
export class Members {
  private readonly options: MembersOptions;

  constructor(options: MembersOptions) {
    this.options = options;
  }

  /** As an operator sees it. */
  view(): MembershipView {
    const { status, self, peers } = this.options;
    return membershipView(status(), self, (peer) => peers.isConnected(peer));
  }

  /** Where the nodes are, as it is told to clients. */
  news(): Omit<MembersNews, 'type'> {
    const { config, configIndex } = this.options.status();
    const addresses = new Map(membersOf(config).map(({ nodeId, address }) => [nodeId, address]));
    const members = [...addresses].map(([nodeId, address]) => ({ nodeId, address }));
    return { configIndex, members };
  }

  /** Where that node is; null for one that is no member, and for none. */
  addressOf(nodeId: NodeId | null): string | null {
    return this.all().find((member) => member.nodeId === nodeId)?.address ?? null;
  }

  /** Every member of the configuration in force, voters of both halves first. */
  all(): readonly Member[] {
    return membersOf(this.options.status().config);
  }

  /** Begins to connect with the others. */
  start(): void {
    const { config, configIndex, previousConfig, commitIndex } = this.options.status();
    const isCommitted = configIndex <= commitIndex;
    const membership = { config, index: configIndex, isCommitted, previous: previousConfig };
    this.options.peers.setConfig(membership);
  }

  onConfig(membership: Membership): void {
    this.options.peers.setConfig(membership);
    this.options.onChange();
  }

  /** A peer lost what it had acknowledged: it does not count any more (RAFT.md §15.5). */
  onPeerLostLog(peer: NodeId, message: string): void {
    this.options.alarms.raise(`log of ${peer}`, message);
    this.options.logger.error(message, { peer });
  }

  /** The cluster goes on without this node (RAFT.md §10.5). */
  onRemoved(configIndex: Index): void {
    const text =
      'This node was taken out of the cluster and takes no part any more. Stop it, wipe its ' +
      'directory, and add the machine under a new node id if it is to come back.';
    if (this.options.alarms.raise('removed', text)) {
      this.options.logger.warn(text, { configIndex });
    }
  }
}
