import type { NodeId, Term } from '../base/units.ts';
import type { Logger } from '../ports/logger.ts';
import type { Role } from '../raft/events.ts';
import type { Office } from './office.ts';
import type { Proposals } from './proposals.ts';
import type { Watches } from './watches.ts';

export interface LeadershipOptions {
  readonly office: Office;
  readonly proposals: Proposals;
  readonly watches: Watches;
  readonly logger: Logger;
  /** Role, leader or readiness changed. */
  readonly onChange: () => void;
}

/** Who leads, and what ends here at once when this node does so no more. */
export class Leadership {
  private readonly options: LeadershipOptions;
  private state: { term: Term; leaderId: NodeId | null; isReady: boolean };

  constructor(options: LeadershipOptions, term: Term) {
    this.options = options;
    this.state = { term, leaderId: null, isReady: false };
  }

  /** As far as this node knows. */
  get current(): {
    readonly term: Term;
    readonly leaderId: NodeId | null;
    readonly isReady: boolean;
  } {
    return this.state;
  }

  onRole(role: Role, term: Term, leaderId: NodeId | null): void {
    const { office, logger, onChange } = this.options;
    if (office.term !== null && (role !== 'leader' || office.term !== term)) {
      this.abdicate('the leader lost its office before the request was decided');
    }
    if (role === 'leader' && office.term === null) office.begin(term);
    this.state = { term, leaderId, isReady: office.leases.isReady };
    logger.info(describeRole(role, leaderId), { role, term, leaderId });
    onChange();
  }

  /** The own no-op is applied. */
  onReady(): void {
    this.options.office.becomeReady();
    this.state = { ...this.state, isReady: true };
    this.options.logger.info('Ready to answer', { term: this.state.term });
    this.options.onChange();
  }

  /** All who wait for this leader are told that they wait in vain. */
  abdicate(why: string): void {
    const { office, proposals, watches } = this.options;
    office.end();
    proposals.abandon(why);
    watches.stepDown();
  }
}

function describeRole(role: Role, leaderId: NodeId | null): string {
  if (role === 'leader') return 'Leads now';
  if (role === 'candidate') return 'Asks for votes';
  if (role === 'preCandidate') return 'Hears no leader; asks whether it could be elected';
  return leaderId === null ? 'Knows no leader' : `Follows ${leaderId}`;
}
