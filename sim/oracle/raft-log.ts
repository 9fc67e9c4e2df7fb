import type { Index, NodeId } from '../../src/base/units.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { RaftEvent, RaftStart, SnapshotPoint } from '../../src/raft/events.ts';
import type { Core } from '../../src/raft/state.ts';
import type { ChainTable } from './log-chain.ts';
import type { LogTerms } from './log-terms.ts';
import { recoveredTerms } from './log-terms.ts';
import type { Commits } from './raft-commits.ts';
import type { Verdict } from './verdict.ts';

/** What a log is held against. */
export interface LogParts {
  readonly chain: ChainTable;
  readonly commits: Commits;
  readonly verdict: Verdict;
}

/** Follows the log of one life, change by change. */
export class LogWatch {
  readonly mirror: LogTerms;
  private readonly id: NodeId;
  private readonly core: Core;
  private readonly parts: LogParts;
  /** Indices of the configurations in the log, the founding one first. */
  private readonly configs: Index[];

  constructor(core: Core, start: RaftStart, parts: LogParts) {
    this.id = core.self.nodeId;
    this.core = core;
    this.parts = parts;
    this.mirror = recoveredTerms(start);
    this.configs = start.configs.map((each) => each.index);
    this.checkRecovered(start);
  }

  /** After a step. `isLeading`: it led in this term before the step and leads now. */
  follow(event: RaftEvent, isLeading: boolean): void {
    if (event.type === 'snapshotInstalled') this.install(event.point);
    const { mirror } = this;
    const { log } = this.core;
    const first = appendedFrom(event);
    const isSame = log.lastIndex === mirror.lastIndex && log.lastTerm === mirror.lastTerm;
    if (isSame && first === null) return;
    const from = this.firstDifference(first);
    if (from <= mirror.lastIndex) this.cut(from, isLeading);
    for (let index = from; index <= log.lastIndex; index++) this.extend(index);
    this.checkConfiguration();
  }

  // The logs are alike below some index. It is sought from the end, and within what a message
  // brought, so that the search costs no more than the change.
  private firstDifference(appended: Index | null): Index {
    const { mirror } = this;
    const { log } = this.core;
    let from = Math.min(log.lastIndex, mirror.lastIndex) + 1;
    // What a node compacted it cannot show any more.
    const anchorIndex = Math.max(mirror.anchorIndex, log.anchorIndex);
    while (from - 1 > anchorIndex && log.termAt(from - 1) !== mirror.termAt(from - 1)) from--;
    for (let index = Math.max(appended ?? from, anchorIndex + 1); index < from; index++) {
      if (log.termAt(index) !== mirror.termAt(index)) return index;
    }
    return from;
  }

  // INV-3, INV-8: a log that has the last entry of the checkpoint stays, for it may have been
  // acknowledged; any other goes as a whole.
  private install({ last, configIndex }: SnapshotPoint): void {
    const { mirror, id, core, configs, parts } = this;
    if (mirror.termAt(last.index) === last.term) {
      if (core.log.lastIndex >= mirror.lastIndex) return;
      const what = `${id} drops entries behind the checkpoint up to ${last.index}`;
      parts.verdict.report('INV-8', `${what}, which its log agrees with`);
      return;
    }
    mirror.restartAt(last);
    configs.splice(0, Infinity, configIndex);
  }

  // INV-2: a leader cuts nothing. INV-4: nobody cuts what is committed.
  private cut(from: Index, isLeading: boolean): void {
    const { mirror, id, configs } = this;
    const { commits, verdict } = this.parts;
    if (isLeading) verdict.report('INV-2', `${id} leads and cuts its own log at entry ${from}`);
    for (let index = from; index <= mirror.lastIndex; index++) {
      if (!commits.has(index, mirror.termAt(index))) continue;
      verdict.report('INV-4', `${id} cuts entry ${index} off its log, which is committed`);
      break;
    }
    mirror.cutFrom(from);
    while ((configs.at(-1) ?? 0) >= from) configs.pop();
  }

  // INV-10: each entry names the one before, and no term is ahead of the node's own.
  private extend(index: Index): void {
    const { mirror, id, core } = this;
    const { chain, verdict } = this.parts;
    const entry = core.log.peek(index);
    if (entry === null) {
      verdict.report('INV-10', `${id} has put entry ${index} into its log and does not have it`);
      mirror.append(core.log.termAt(index) ?? 0);
      return;
    }
    const isJoined = entry.index === index && entry.prevTerm === mirror.lastTerm;
    if (!isJoined || entry.term < entry.prevTerm || entry.term > core.hard.term) {
      const what = `${id} in term ${core.hard.term} has ${describe(entry)}`;
      verdict.report('INV-10', `${what} after term ${mirror.lastTerm}`);
    }
    chain.see(entry, id);
    mirror.append(entry.term);
    if (entry.type === 'config') this.extendConfigs(index);
  }

  // INV-11: one that nobody committed comes after one that somebody did.
  private extendConfigs(index: Index): void {
    const { configs, id, core } = this;
    const { commits, verdict } = this.parts;
    configs.push(index);
    // A leader commits one and appends the next in a single step; that commit is judged after it.
    const committed = Math.max(commits.lastIndex, core.commitIndex);
    const open = configs.filter((each) => each > committed);
    if (open.length < 2) return;
    const what = `${id} has the configurations of entries ${open.join(' and ')}`;
    verdict.report('INV-11', `${what}, and nobody committed any of them`);
  }

  // INV-11: the latest configuration of the log is the one in force.
  private checkConfiguration(): void {
    const inForce = this.core.configurations.latest.index;
    const latest = this.configs.at(-1);
    if (inForce === latest) return;
    const what = `${this.id} goes by the configuration of entry ${inForce}`;
    this.parts.verdict.report('INV-11', `${what}; its latest is ${latest}`);
  }

  // INV-20: a log that comes back from a disk holds nothing that was never in a log.
  private checkRecovered(start: RaftStart): void {
    const { chain, verdict } = this.parts;
    for (const entry of start.tail) {
      verdict.expect(
        chain.has(entry.index, entry.term),
        'INV-20',
        () => `${this.id} starts with ${describe(entry)}, which nobody ever had`,
      );
      chain.see(entry, this.id);
    }
  }
}

function appendedFrom(event: RaftEvent): Index | null {
  if (event.type !== 'message' || event.message.type !== 'append') return null;
  return event.message.entries[0]?.index ?? null;
}

function describe(entry: Entry): string {
  return `entry ${entry.index} of term ${entry.term} behind term ${entry.prevTerm}`;
}
