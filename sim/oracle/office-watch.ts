import type { MonoUs, NodeId } from '../../src/base/units.ts';
import type { Member } from '../../src/raft/config.ts';
import type { RaftEvent } from '../../src/raft/events.ts';
import type { Core } from '../../src/raft/state.ts';

/**
 * For how long a leader has not been answered by a quorum, itself included: measured from when what
 * was answered had been sent, from its election, or from its waking.
 */
export class OfficeWatch {
  /** The silence as of the step in which it last stopped leading. */
  lastSilenceUs = 0;
  private readonly core: Core;
  private readonly answeredUs = new Map<NodeId, MonoUs>();
  private term = 0;
  private sinceUs: MonoUs = 0;
  private wasLeading = false;

  constructor(core: Core) {
    this.core = core;
  }

  /** After each step. */
  follow(event: RaftEvent, isStall: boolean): void {
    const { core } = this;
    const isNew = core.role === 'leader' && this.term !== core.hard.term;
    if (isNew) {
      this.term = core.hard.term;
      this.answeredUs.clear();
    }
    if (isNew || isStall) this.sinceUs = core.nowUs;
    if (event.type === 'message') this.note(event);
    const isLeading = core.role === 'leader';
    if (this.wasLeading && !isLeading) this.lastSilenceUs = this.silenceUs(core.nowUs);
    this.wasLeading = isLeading;
  }

  /** In microseconds of its own clock. */
  silenceUs(nowUs: MonoUs): number {
    const { voters, votersOutgoing } = this.core.configurations.latest.config;
    const halves = votersOutgoing.length === 0 ? [voters] : [voters, votersOutgoing];
    return Math.max(...halves.map((half) => this.silenceOf(half, nowUs)));
  }

  private silenceOf(voters: readonly Member[], nowUs: MonoUs): number {
    const own = this.core.self.nodeId;
    const times = voters.map(({ nodeId }) => {
      if (nodeId === own) return nowUs;
      return Math.max(this.answeredUs.get(nodeId) ?? 0, this.sinceUs);
    });
    times.sort((left, right) => right - left);
    return nowUs - (times[Math.floor(voters.length / 2)] ?? nowUs);
  }

  describe(): string {
    return `${this.silenceUs(this.core.nowUs)} us`;
  }

  private note({ from, message }: Extract<RaftEvent, { readonly type: 'message' }>): void {
    const isAnswer =
      message.type === 'appendResponse' ||
      message.type === 'heartbeatResponse' ||
      message.type === 'snapshotResponse';
    if (!isAnswer || message.term !== this.term) return;
    const sentUs = this.core.leader?.rounds.startOf(message.round) ?? 0;
    this.answeredUs.set(from.nodeId, Math.max(this.answeredUs.get(from.nodeId) ?? 0, sentUs));
  }
}
