// What an operator is told while the membership changes: each phase once, in one line.

import type { MembershipStep } from '../client/admin.ts';
import type { MembershipView } from '../wire/client-messages.ts';

/** Follows one change by the views that come now and then; a phase may pass between two of them. */
export class Progress {
  private readonly step: MembershipStep;
  private readonly tell: (line: string) => void;
  private last = '';

  constructor(step: MembershipStep, tell: (line: string) => void) {
    this.step = step;
    this.tell = tell;
  }

  show(view: MembershipView): void {
    const phase = this.phaseOf(view);
    if (phase === null || phase === this.last) return;
    this.last = phase;
    this.tell(phase);
  }

  /** What is left behind by whoever stops to wait now. */
  standing(): string {
    const { last } = this;
    const how = last === '' ? 'how far the change is was not heard yet' : last;
    return (
      `the change is under way: ${how}. If the leader has it, it goes on by itself; the same ` +
      'command goes on from there and sees it through'
    );
  }

  /** The last line, when the leader says that the change is done. */
  done({ members }: MembershipView): string {
    const list = (wanted: string): string =>
      members.flatMap(({ role, nodeId }) => (role === wanted ? [nodeId] : [])).join(', ');
    const learners = list('learner');
    return `done: voters ${list('voter')}${learners === '' ? '' : `; learners ${learners}`}`;
  }

  private phaseOf(view: MembershipView): string | null {
    if (view.isJoint) return 'the change is decided by a majority of the old and of the new voters';
    const comes = comingId(this.step);
    if (comes === null) return null;
    const member = view.members.find(({ nodeId }) => nodeId === comes);
    if (member === undefined) return `${comes} is asked to join`;
    if (member.role !== 'learner') return null;
    if (!member.isConnected) return `${comes} is a learner now; it is not connected`;
    return member.isCaughtUp
      ? `${comes} has the whole state and keeps up`
      : `${comes} is a learner now, and gets the state`;
  }
}

function comingId(step: MembershipStep): string | null {
  switch (step.step) {
    case 'addMember':
    case 'promote':
      return step.nodeId;
    case 'replace':
      return step.by.nodeId;
    case 'removeMember':
      return null;
  }
}
