// What nodes are in which term, and what they write to their disks.

import type { NodeId, Term } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { RaftEffect, Role } from '../../src/raft/events.ts';
import { Bounded } from './bounded.ts';
import type { Moment } from './frame-book.ts';
import type { LockBook } from './lock-book.ts';
import type { MarkKind, Span, SpanKind } from './recording.ts';

/** Something that happened, before it is known what follows from it. */
export interface SeenMark extends Moment {
  readonly kind: MarkKind;
  readonly lane: string;
  readonly text: string;
}

/** A role from its beginning until the next one of the same node. */
interface Office {
  readonly node: NodeId;
  readonly role: Role;
  readonly term: Term;
  readonly fromUs: number;
}

const OFFICES_MAX = 4_000;
const MARKS_MAX = 20_000;

const SPAN_OF = {
  follower: 'follower',
  preCandidate: 'candidate',
  candidate: 'candidate',
  leader: 'leader',
} as const satisfies Readonly<Record<Role, SpanKind>>;

const NAME_OF: Readonly<Record<Role, string>> = {
  follower: 'follower',
  preCandidate: 'asks around',
  candidate: 'candidate',
  leader: 'leader',
};

/** See the head of this file. */
export class NodeBook {
  readonly marks = new Bounded<SeenMark>(MARKS_MAX);
  private readonly offices = new Bounded<Office>(OFFICES_MAX);
  private readonly now: () => Moment;
  private readonly locks: LockBook;

  constructor(now: () => Moment, locks: LockBook) {
    this.now = now;
    this.locks = locks;
  }

  /** What was let go. */
  get dropped(): number {
    return this.marks.dropped + this.offices.dropped;
  }

  /** For one life of a node. */
  watch(node: NodeId): HostWatch {
    return {
      started: (core) => this.take(node, 'follower', core.hard.term),
      stepped: (_, effects) => {
        for (const effect of effects) this.effect(node, effect);
      },
      applied: (entry, command, applied) => {
        if (command === null || applied === null) return;
        const text = this.locks.applied(entry.index, command, applied);
        if (text !== null)
          this.mark(node, 'commit', `entry ${entry.index} (t${entry.term}): ${text}`);
      },
      installed: (_, appliedIndex) => {
        this.mark(node, 'disk', `has the checkpoint up to entry ${appliedIndex}`);
      },
    };
  }

  /** Roles as bands; a node that is dead has none, which its process tells. */
  spans(endUs: number): readonly Span[] {
    const last = new Map<NodeId, Office>();
    const spans: Span[] = [];
    const close = ({ node, role, term, fromUs }: Office, toUs: number): void => {
      const label = `${NAME_OF[role]} t${term}`;
      spans.push({ kind: SPAN_OF[role], lane: node, fromUs, toUs, label, term });
    };
    for (const office of this.offices.items()) {
      const before = last.get(office.node);
      if (before !== undefined) close(before, office.fromUs);
      last.set(office.node, office);
    }
    for (const office of last.values()) close(office, endUs);
    return spans;
  }

  private effect(node: NodeId, effect: RaftEffect): void {
    switch (effect.type) {
      case 'role':
        return this.take(node, effect.role, effect.term);
      case 'leaderReady':
        return this.mark(node, 'note', `may answer as the leader of term ${effect.term}`);
      case 'writeSlots':
        return this.mark(node, 'disk', slotsText(effect));
      case 'persist':
        return this.mark(node, 'disk', persistText(effect));
      case 'configChanged': {
        const names = effect.config.voters.map(({ nodeId }) => nodeId).join(', ');
        const state = effect.isCommitted ? 'committed' : 'not committed yet';
        return this.mark(node, 'note', `the voters are ${names} (entry ${effect.index}, ${state})`);
      }
      default:
    }
  }

  private take(node: NodeId, role: Role, term: Term): void {
    this.offices.add({ node, role, term, fromUs: this.now().atUs });
  }

  private mark(lane: string, kind: MarkKind, text: string): void {
    this.marks.add({ ...this.now(), kind, lane, text });
  }
}

function slotsText({ term, vote }: Extract<RaftEffect, { type: 'writeSlots' }>): string {
  return `writes term ${term}, ${vote === null ? 'no vote' : `its vote for ${vote.nodeId}`}`;
}

function persistText(effect: Extract<RaftEffect, { type: 'persist' }>): string {
  const { entries, truncateFrom } = effect;
  const cut = truncateFrom === null ? [] : [`cuts its log from entry ${truncateFrom} on`];
  const told = entries.map(({ index, term }) => `${index} (t${term})`).join(', ');
  const wrote = entries.length === 0 ? [] : [`writes entries ${told}`];
  return [...cut, ...wrote].join(', then ');
}
