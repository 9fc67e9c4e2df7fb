import type { NodeId } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import type { MembershipView } from '../wire/client-messages.ts';
import type { AdminStep, QueryResult } from '../wire/client-messages.ts';
import { AdminDesk } from './admin-desk.ts';
import { Backups } from './backups.ts';
import { DEFAULT_CHECKPOINTS } from './checkpoint-settings.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { Decisions } from './decisions.ts';
import type { Engine } from './engine.ts';
import type { Identity } from './handshake.ts';
import { helloOf, membersOf } from './handshake.ts';
import type { HostExit, HostPorts, HostSettings } from './host-types.ts';
import { LimitsDesk } from './limits-desk.ts';
import { meetMember } from './member-meeting.ts';
import { MembershipDesk } from './membership-desk.ts';
import type { Peers } from './peers.ts';
import type { Proposals } from './proposals.ts';
import type { Reads } from './reads.ts';
import type { NodeStorage } from './storage/types.ts';

/** The parts of a replica that operators have to do with. */
export interface StewardOptions {
  readonly ports: HostPorts;
  readonly settings: HostSettings;
  readonly storage: NodeStorage;
  readonly self: Identity;
  readonly clusterId: string;
  readonly engine: Engine;
  readonly peers: Peers;
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly decisions: Decisions;
  readonly checkpointer: Checkpointer;
  readonly isLeading: () => boolean;
  readonly leaderId: () => NodeId | null;
  readonly membershipView: () => MembershipView;
  /** Those in force. */
  readonly limits: () => ReplicatedLimits;
  readonly onFailed: (exit: HostExit) => void;
}

/** Serves the operators of a replica: membership, transfer, backups, limits. */
export class Steward {
  private readonly options: StewardOptions;
  private readonly membership: MembershipDesk;
  private readonly backups: Backups;
  private readonly desk: AdminDesk;

  constructor(options: StewardOptions) {
    this.options = options;
    this.membership = this.createMembershipDesk();
    this.backups = this.createBackups();
    const { ports, settings, self, reads, decisions, isLeading, leaderId } = options;
    const { membership, backups } = this;
    const limits = this.createLimitsDesk();
    this.desk = new AdminDesk({
      ...{ membership, backups, limits, isLeading },
      // An office that ends in this very turn may not have been told of yet.
      otherLeaderId: () => (leaderId() === self.nodeId ? null : leaderId()),
      clock: ports.clock,
      electionMs: settings.electionMs,
      confirm: (done) => reads.request(done),
      transfer: (to, done) => decisions.transfer(to, done),
    });
  }

  handle(step: AdminStep, done: (result: QueryResult) => void): void {
    this.desk.handle(step, done);
  }

  /** Due at every tick, and with every configuration. */
  look(): void {
    this.membership.look();
    this.backups.dropIdle();
  }

  /** Role, leader or readiness changed. */
  onLeaderChange(): void {
    this.desk.onLeaderChange();
    this.membership.look();
  }

  stop(): void {
    this.desk.stop();
  }

  private createMembershipDesk(): MembershipDesk {
    const { ports, self, clusterId, engine, decisions, membershipView } = this.options;
    const { clock, transport } = ports;
    return new MembershipDesk({
      clock,
      status: () => engine.status(),
      view: membershipView,
      change: (ask, done) => decisions.changeConfig(ask, done),
      meet: (wanted, done) => {
        const hello = helloOf(self, { clusterId, connectionEpoch: 1 });
        meetMember({ ports: { clock, transport }, hello, wanted }, done);
      },
    });
  }

  private createBackups(): Backups {
    const { ports, settings, storage, engine, checkpointer, onFailed } = this.options;
    const { partBytesMax } = { ...DEFAULT_CHECKPOINTS, ...settings.checkpoints };
    return new Backups({
      ...{ storage, partBytesMax, onFailed },
      clock: ports.clock,
      appliedIndex: () => engine.status().appliedIndex,
      takeNow: (index, done) => checkpointer.takeNow(index, done),
    });
  }

  private createLimitsDesk(): LimitsDesk {
    const { self, engine, peers, proposals, reads, limits } = this.options;
    return new LimitsDesk({
      limits,
      lastIndex: () => engine.status().lastIndex,
      members: () => membersOf(engine.status().config),
      commandSetOf: (member) =>
        member.nodeId === self.nodeId ? self.commandSet : peers.commandSetOf(member),
      confirm: (done) => reads.request(done),
      submit: (request, done) => proposals.submit(request, done),
    });
  }
}
