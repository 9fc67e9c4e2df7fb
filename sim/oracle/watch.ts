// What the watchers of locks and the observers of elections were told by the library, held against
// the log: everything in its order, nothing twice, and nothing left out unless they were told so.
//
// Whoever runs a client's watch or observer takes it down here, as a user sees it. What passed
// over the links is overheard besides (linear-watches.ts).

import type { Revision } from '../../src/base/units.ts';
import type { WatchEvent, WatchTarget } from '../../src/wire/watch-messages.ts';
import type { ClientHistory } from './history.ts';
import type { HeardGap } from './history-watches.ts';
import { isSameData } from './outcomes.ts';
import type { CommittedLog } from './types.ts';
import type { Verdict } from './verdict.ts';
import { eventsFor, leadersOf, nextRevision } from './watch-events.ts';
import type { SeenLeader } from './watch-events.ts';

type ReceivedEvent = WatchEvent & { readonly revision: Revision };

/** An item of a client's watch, in the parts that are looked at. */
export type ReceivedNotice =
  ReceivedEvent | { readonly type: 'gap'; readonly after: Revision; readonly revision: Revision };

/** An item of an election's observer, in the parts that are looked at. */
export interface ReceivedView {
  readonly leader: SeenLeader | null;
  readonly revision: Revision;
}

/** Takes down what one watch, or one observer, is told. */
export interface WatchRecord<Item> {
  /** The next item of its iteration, as soon as the program has it. */
  received(item: Item): void;
  /** It is closed, or its process is dead: it need not hear more. Call before closing. */
  end(): void;
}

/** What the oracle is made of. */
export interface WatchOracleParts {
  readonly verdict: Verdict;
  /** Listens to the links of the same clients. */
  readonly history: ClientHistory;
}

/** Watches and observers of one run. */
const RECORDS_MAX = 4_096;

/** See the head of this file. */
export class WatchOracle {
  private readonly parts: WatchOracleParts;
  private readonly records: Recorded[] = [];

  constructor(parts: WatchOracleParts) {
    this.parts = parts;
  }

  /** A watch of that client is ready: events after `revision` follow. */
  watching(client: string, target: WatchTarget, revision: Revision): WatchRecord<ReceivedNotice> {
    const record = new WatchTale(client, target, revision);
    return this.keep(record, record);
  }

  /** The client begins to observe this election, whose first view is yet to come. */
  observing(client: string, name: string): WatchRecord<ReceivedView> {
    const record = new ElectionTale(client, name);
    return this.keep(record, record);
  }

  /** For liveness: an open one that was not yet told all that the log has for it; null: none. */
  behind(log: CommittedLog): string | null {
    const behind = this.records.find((record) => record.isOpen && record.isBehind(log));
    return behind === undefined ? null : `${behind.what} was not told of all that happened`;
  }

  /** Reports INV-12 for what does not fit the log. Call when the run is over. */
  check(log: CommittedLog): void {
    const { verdict, history } = this.parts;
    for (const record of this.records) {
      const gaps = history.gaps.filter(({ client }) => client === record.client);
      const problem = record.problem(log, gaps);
      if (problem !== null) verdict.report('INV-12', `${record.what}: ${problem}`);
    }
  }

  private keep<Item>(record: Recorded, handle: WatchRecord<Item>): WatchRecord<Item> {
    if (this.records.length < RECORDS_MAX) this.records.push(record);
    return handle;
  }
}

interface Recorded {
  readonly client: string;
  /** For messages. */
  readonly what: string;
  readonly isOpen: boolean;
  isBehind(log: CommittedLog): boolean;
  /** What is wrong with what it was told; `gaps` are those that the client was told of. */
  problem(log: CommittedLog, gaps: readonly HeardGap[]): string | null;
}

class WatchTale implements Recorded, WatchRecord<ReceivedNotice> {
  readonly client: string;
  isOpen = true;
  private readonly target: WatchTarget;
  private readonly from: Revision;
  private readonly notices: ReceivedNotice[] = [];

  constructor(client: string, target: WatchTarget, from: Revision) {
    this.client = client;
    this.target = target;
    this.from = from;
  }

  get what(): string {
    const { name, prefix } = this.target;
    return `the watch of ${this.client} at ${name ?? `${prefix}…`} from ${this.from} on`;
  }

  received(notice: ReceivedNotice): void {
    this.notices.push(notice);
  }

  end(): void {
    this.isOpen = false;
  }

  isBehind(log: CommittedLog): boolean {
    const after = this.notices.at(-1)?.revision ?? this.from;
    return nextRevision(log, this.target, { after, upTo: lastOf(log) }) !== null;
  }

  problem(log: CommittedLog, gaps: readonly HeardGap[]): string | null {
    let told = this.from;
    for (let at = 0; at < this.notices.length;) {
      const notice = this.notices[at];
      if (notice === undefined) break;
      if (notice.type === 'gap') {
        // One that was begun where the past is forgotten begins with that.
        const isFirst = at === 0 && notice.revision === this.from;
        const problem = this.gapProblem(notice, isFirst ? notice.after : told, { gaps, log });
        if (problem !== null) return problem;
        at++;
      } else {
        const { revision } = notice;
        const events = this.takeEvents(at);
        const isLast = at + events.length === this.notices.length;
        const problem = this.eventsProblem({ revision, events, isLast }, told, log);
        if (problem !== null) return problem;
        at += events.length;
      }
      told = notice.revision;
    }
    return null;
  }

  /** What it was told of one entry: all that follows with the same revision. */
  private takeEvents(from: number): readonly ReceivedEvent[] {
    const events: ReceivedEvent[] = [];
    const revision = this.notices[from]?.revision;
    for (let at = from; at < this.notices.length; at++) {
      const notice = this.notices[at];
      if (notice === undefined || notice.type === 'gap' || notice.revision !== revision) break;
      events.push(notice);
    }
    return events;
  }

  private eventsProblem(
    heard: {
      readonly revision: Revision;
      readonly events: readonly ReceivedEvent[];
      readonly isLast: boolean;
    },
    told: Revision,
    log: CommittedLog,
  ): string | null {
    const { revision, events, isLast } = heard;
    if (revision <= told) return `revision ${revision} came after ${told}`;
    const missed = nextRevision(log, this.target, { after: told, upTo: revision - 1 });
    if (missed !== null) return `it was told of ${revision}, and not of ${missed}`;
    const entry = log.at(revision);
    const facts = entry === undefined ? [] : eventsFor(this.target, entry);
    const all = facts.map((event) => ({ ...event, revision }));
    // A program may stop in the middle of an entry.
    const expected = isLast ? all.slice(0, events.length) : all;
    if (isSameData(events, expected) && events.length > 0) return null;
    return `of ${revision} it was told ${JSON.stringify(events)}, not ${JSON.stringify(all)}`;
  }

  private gapProblem(
    { after, revision }: { readonly after: Revision; readonly revision: Revision },
    told: Revision,
    by: { readonly gaps: readonly HeardGap[]; readonly log: CommittedLog },
  ): string | null {
    const what = `a gap from ${after} to ${revision}`;
    if (after < told || revision < after) return `${what} after ${told}`;
    const gaps = by.gaps.filter(({ target }) => isSameData(target, this.target));
    if (!gaps.some((gap) => gap.revision === revision)) return `${what}, of which no node spoke`;
    let from = after;
    for (;;) {
      const next = nextRevision(by.log, this.target, { after: from, upTo: revision });
      if (next === null) return null;
      const isKnown = gaps.some((gap) => gap.after < next && next <= gap.revision);
      if (!isKnown) return `${what}, and ${next} was not told though the node had it`;
      from = next;
    }
  }
}

class ElectionTale implements Recorded, WatchRecord<ReceivedView> {
  readonly client: string;
  isOpen = true;
  private readonly name: string;
  private readonly views: ReceivedView[] = [];

  constructor(client: string, name: string) {
    this.client = client;
    this.name = name;
  }

  get what(): string {
    return `the observer ${this.client} of ${this.name}`;
  }

  received(view: ReceivedView): void {
    this.views.push(view);
  }

  end(): void {
    this.isOpen = false;
  }

  isBehind(log: CommittedLog): boolean {
    const last = this.views.at(-1);
    if (last === undefined) return true;
    const present = leadersOf(this.name, log).at(-1)?.leader ?? null;
    return !isSameData(partsOf(last.leader), present);
  }

  /** The first view is the present one, and each change follows, unless a gap lies between. */
  problem(log: CommittedLog, gaps: readonly HeardGap[]): string | null {
    const changes = leadersOf(this.name, log);
    let last: ReceivedView | null = null;
    for (const view of this.views) {
      const leader = partsOf(view.leader);
      const { revision } = view;
      if (last !== null && revision < last.revision)
        return `${revision} came after ${last.revision}`;
      const known = changes.filter((change) => change.revision <= revision);
      const truth = known.at(-1)?.leader ?? null;
      if (!isSameData(leader, truth)) {
        return `at ${revision} it saw ${JSON.stringify(leader)}, not ${JSON.stringify(truth)}`;
      }
      if (last !== null) {
        const from = last.revision;
        const between = known.filter((change) => change.revision > from);
        const isGap = gaps.some((gap) => gap.target.name === this.name && gap.revision > from);
        if (between.length > 1 && !isGap) return `it was not told of ${between[0]?.revision}`;
        if (isSameData(leader, partsOf(last.leader))) return `it was told twice at ${revision}`;
      }
      last = view;
    }
    return null;
  }
}

function partsOf(leader: SeenLeader | null): SeenLeader | null {
  if (leader === null) return null;
  const { token, session, acquireSeq, value } = leader;
  return { token, session, acquireSeq, value };
}

function lastOf({ entries }: CommittedLog): Revision {
  return entries.at(-1)?.index ?? 0;
}
