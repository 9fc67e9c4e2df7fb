import type { Index, NodeId, Term } from '../../src/base/units.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { Applied } from '../../src/locks/outcomes.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { RaftEffect, RaftEvent, RaftStart } from '../../src/raft/events.ts';
import { checkInvariants } from '../../src/raft/invariants.ts';
import type { CoreSnapshot } from '../../src/raft/invariants.ts';
import type { Core } from '../../src/raft/state.ts';
import { AdmissionChecks } from './admission-checks.ts';
import type { LogTerms } from './log-terms.ts';
import type { LogBook } from './log.ts';
import { reportBroken } from './raft-broken.ts';
import type { CommittedConfigs } from './raft-configs.ts';
import type { Commits } from './raft-commits.ts';
import type { DiskTruth } from './raft-disk.ts';
import type { Elections } from './raft-elections.ts';
import type { NodeHistory } from './raft-history.ts';
import type { LogParts } from './raft-log.ts';
import { LogWatch } from './raft-log.ts';
import type { MessageChecks } from './raft-messages.ts';
import { ReadChecks } from './raft-reads.ts';
import type { LifeView } from './raft-view.ts';
import { handBatch, handInstall } from './raft-writes.ts';
import type { Verdict } from './verdict.ts';

/** Steps between two looks at the whole state of a core, at least; more when its log is long. */
const STEPS_PER_LOOK = 128;
/** The same for applied entries and the machine. */
const ENTRIES_PER_LOOK = 96;

/** What all lives have in common. */
export interface LifeParts extends LogParts {
  readonly commits: Commits;
  readonly elections: Elections;
  readonly messages: MessageChecks;
  readonly book: LogBook;
  readonly configs: CommittedConfigs;
  readonly verdict: Verdict;
}

/** Checks the steps of one life of a node. */
export class NodeLife implements LifeView {
  readonly id: NodeId;
  readonly core: Core;
  readonly history: NodeHistory;
  readonly disk: DiskTruth;
  private readonly parts: LifeParts;
  private readonly log: LogWatch;
  private readonly reads: ReadChecks;
  private readonly admission: AdmissionChecks;
  private term: Term;
  private leads: Term = 0;
  private wasLeading = false;
  private hasFailedWrite = false;
  private committed: Index;
  private lastApplied: Index;
  private state: LockMachine;
  private stateBegin: Index;
  private snapshot: CoreSnapshot | null = null;
  private stepsToLook = 0;
  private entriesToLook = ENTRIES_PER_LOOK;

  constructor(
    life: { readonly core: Core; readonly start: RaftStart; readonly machine: LockMachine },
    history: NodeHistory,
    parts: LifeParts,
  ) {
    const { core, start, machine } = life;
    this.id = start.nodeId;
    this.core = core;
    this.state = machine;
    this.history = history;
    this.disk = history.disk;
    this.parts = parts;
    this.log = new LogWatch(core, start, parts);
    this.reads = new ReadChecks(this.id, parts.verdict);
    this.admission = new AdmissionChecks(core, parts.verdict);
    this.term = start.term;
    this.committed = start.applied;
    this.lastApplied = start.applied;
    this.stateBegin = start.applied;
    this.beginsAt(start.applied);
  }

  get mirror(): LogTerms {
    return this.log.mirror;
  }

  /** The last entry that it applied. */
  get appliedIndex(): Index {
    return this.lastApplied;
  }

  /** What its state contained when it began, or when it was replaced last. */
  get begin(): Index {
    return this.stateBegin;
  }

  get ledTerm(): Term {
    return this.leads;
  }

  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void {
    if (event.type === 'persisted') this.disk.persisted(event.sequence);
    else if (event.type === 'slotsWritten') this.disk.slotsWritten(event.version);
    else if (event.type === 'compacted') this.disk.compacted(event.anchor);
    else if (event.type === 'snapshotInstalled') this.disk.installed(event.point.last);
    else if (event.type === 'read') this.reads.asked(event.id, this.parts.commits.lastIndex);
    // After a fatal effect the state is whatever it was in the middle of the step.
    if (this.core.isStopped) return;
    if (this.hasFailedWrite) this.checkSilence(effects);
    const isNewTerm = this.followTerm();
    this.log.follow(event, this.wasLeading && !isNewTerm && this.core.role === 'leader');
    const isNewLeader = this.followRole(isNewTerm);
    if (event.type === 'propose') this.admission.proposed(event.proposals, effects);
    if (this.core.commitIndex !== this.committed) this.followCommit();
    if (event.type === 'applied') this.checkApplied();
    for (const effect of effects) this.follow(effect);
    if (--this.stepsToLook <= 0 || isNewLeader) this.lookAtCore();
  }

  /** It is told now that a write of its disk failed. */
  writeFailed(): void {
    this.hasFailedWrite = true;
  }

  /** INV-9, M-42: a checkpoint of another node took the place of its state, which goes on. */
  installed(machine: LockMachine, appliedIndex: Index): void {
    const { id, lastApplied } = this;
    if (appliedIndex <= lastApplied) {
      const what = `${id} installs a checkpoint up to ${appliedIndex}`;
      this.parts.verdict.report('INV-9', `${what} and has applied ${lastApplied}`);
    }
    this.state = machine;
    this.stateBegin = appliedIndex;
    this.lastApplied = appliedIndex;
    this.lookAtMachine();
    this.parts.book.checkState(appliedIndex, machine, id);
  }

  /** INV-9: applied in order, each entry once, none that is not committed. */
  applied(entry: Entry, command: Command | null, applied: Applied | null): void {
    const { id, core, state: machine } = this;
    const expected = this.lastApplied + 1;
    if (entry.index !== expected || entry.index > core.commitIndex) {
      const what = `${id} applies entry ${entry.index} after ${expected - 1}`;
      this.parts.verdict.report('INV-9', `${what}, of ${core.commitIndex}`);
    }
    this.lastApplied = entry.index;
    // It may have been read back from the disk.
    this.parts.chain.see(entry, id);
    this.parts.book.applied({ entry, command, applied, by: id, machine });
    if (entry.type === 'config') this.parts.configs.applied(entry);
    if (--this.entriesToLook <= 0) this.lookAtMachine();
  }

  /** Looks at the whole state, and holds it against that of others. For the end of a run. */
  lookAtAll(): void {
    if (!this.core.isStopped) this.lookAtCore();
    this.lookAtMachine();
    this.parts.book.checkState(this.lastApplied, this.state, this.id);
  }

  // INV-5: what a checkpoint contains is committed. Before the first commit there is the origin.
  private beginsAt(applied: Index): void {
    const { id, mirror, core, state } = this;
    const { commits, book, configs, verdict } = this.parts;
    const isCommitted = commits.isEmpty || commits.has(applied, mirror.termAt(applied));
    verdict.expect(
      isCommitted,
      'INV-5',
      () => `${id} starts with a checkpoint up to entry ${applied}, which is not committed`,
    );
    book.checkState(applied, state, id);
    const inForce = core.configurations.list().findLast(({ index }) => index <= applied);
    if (inForce !== undefined) configs.begins(id, inForce, applied);
  }

  private lookAtCore(): void {
    const { core } = this;
    this.stepsToLook = STEPS_PER_LOOK + 2 * (core.log.lastIndex - core.log.firstInMemory);
    this.guarded(() => {
      // Steps lie in between: what was applied is judged entry by entry.
      const before = this.snapshot && { ...this.snapshot, applyingIndex: Infinity };
      this.snapshot = checkInvariants(core, before);
    });
  }

  private lookAtMachine(): void {
    const { state: machine } = this;
    this.entriesToLook = ENTRIES_PER_LOOK + 8 * (machine.sessionCount() + machine.lockCount());
    this.guarded(() => machine.checkInvariants());
  }

  private guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      reportBroken(this.parts.verdict, this.id, error);
    }
  }

  // INV-20, M-66: what a disk holds after a failed write is unknown, so nothing is built on it.
  private checkSilence(effects: readonly RaftEffect[]): void {
    const act = effects.find(({ type }) => type !== 'role' && type !== 'readFailed');
    if (act === undefined) return;
    const what = `${this.id} goes on (${act.type}) although a write of its disk failed`;
    this.parts.verdict.report('INV-20', what);
  }

  private followTerm(): boolean {
    const { term } = this.core.hard;
    if (term === this.term) return false;
    const before = this.term;
    this.term = term;
    this.parts.verdict.expect(
      term > before,
      'INV-7',
      () => `${this.id} goes back from term ${before} to ${term}`,
    );
    return true;
  }

  /** True when it has just been elected. */
  private followRole(isNewTerm: boolean): boolean {
    const isLeading = this.core.role === 'leader';
    const isNew = isLeading && (!this.wasLeading || isNewTerm);
    this.wasLeading = isLeading;
    if (!isNew) return false;
    this.leads = this.term;
    this.parts.elections.won(this);
    this.parts.commits.checkLeader(this);
    this.admission.begin();
    return true;
  }

  private followCommit(): void {
    const { commitIndex, log } = this.core;
    const before = this.committed;
    this.committed = commitIndex;
    if (commitIndex < before || commitIndex > log.lastIndex) {
      const what = `${this.id} moves its commit index from ${before} to ${commitIndex}`;
      this.parts.verdict.report('INV-9', `${what}, of ${log.lastIndex}`);
    }
    // A leader counts disks for entries of its own term only (§7.6): an older one that a majority
    // holds can still be overwritten.
    if (this.core.role === 'leader' && log.termAt(commitIndex) !== this.term) {
      const what = `${this.id} commits entry ${commitIndex} of term ${log.termAt(commitIndex)}`;
      this.parts.verdict.report('INV-4', `${what} by itself as the leader of term ${this.term}`);
    }
    this.parts.commits.advance(this, before, commitIndex);
    this.admission.committed(commitIndex);
  }

  private checkApplied(): void {
    const { appliedIndex } = this.core;
    if (appliedIndex === this.lastApplied) return;
    const what = `${this.id} has applied everything up to ${this.lastApplied}`;
    this.parts.verdict.report('INV-9', `${what} and takes it for ${appliedIndex}`);
  }

  private follow(effect: RaftEffect): void {
    switch (effect.type) {
      case 'send':
        return this.parts.messages.sent(this, effect.to, effect.message);
      case 'persist':
        return handBatch(this, effect, this.parts);
      case 'writeSlots':
        return this.disk.handRecord(effect);
      case 'installSnapshot':
        return handInstall(this, effect, this.parts);
      case 'readReady':
        return this.reads.confirmed(effect.ids, this.core.appliedIndex);
      case 'readFailed':
        return this.reads.failed(effect.ids);
      default:
        return;
    }
  }
}
