import type { Index, NodeId } from '../../src/base/units.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { Applied } from '../../src/locks/outcomes.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { MachineOracle } from './machine.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { Verdict } from './verdict.ts';

/** The state is compared after every entry with such an index, and at the end. */
const ENTRIES_PER_HASH = 16;

/** One entry, applied by one node. */
export interface Application {
  readonly entry: Entry;
  readonly command: Command | null;
  readonly applied: Applied | null;
  readonly by: NodeId;
  readonly machine: LockMachine;
}

/** What the book is made of. */
export interface LogBookParts {
  readonly verdict: Verdict;
  readonly nowUs: () => number;
  readonly machines: MachineOracle;
}

/** INV-5: writes down the log as it is applied, and holds every further node against it. */
export class LogBook implements CommittedLog {
  private readonly parts: LogBookParts;
  private readonly list: CommittedEntry[] = [];
  private readonly hashes = new Map<Index, string>();

  constructor(parts: LogBookParts) {
    this.parts = parts;
  }

  get entries(): readonly CommittedEntry[] {
    return this.list;
  }

  at(index: Index): CommittedEntry | undefined {
    return this.list[index - (this.list[0]?.index ?? index)];
  }

  /** A node has just applied an entry; its machine is in the state after it. */
  applied(application: Application): void {
    const { entry, machine, by } = application;
    const known = this.at(entry.index);
    if (known === undefined) this.add(application);
    else this.compare(known, application);
    if (entry.index % ENTRIES_PER_HASH === 0) this.checkState(entry.index, machine, by);
  }

  /** The state of a node that has applied everything up to `index` and nothing more. */
  checkState(index: Index, machine: LockMachine, by: NodeId): void {
    const hash = machine.stateHash();
    const known = this.hashes.get(index);
    if (known === undefined) this.hashes.set(index, hash);
    else if (known !== hash) {
      this.parts.verdict.report('INV-5', `${by} differs in its state at entry ${index}`);
    }
  }

  private add({ entry, command, applied, by }: Application): void {
    const { verdict, nowUs, machines } = this.parts;
    const last = this.list.at(-1);
    if (last !== undefined && entry.index !== last.index + 1) {
      verdict.report('INV-9', `${by} is the first to apply ${entry.index}, after ${last.index}`);
      return;
    }
    const { index, term } = entry;
    const atUs = nowUs();
    this.list.push({
      index,
      term,
      command,
      outcome: applied?.outcome ?? null,
      events: applied?.events ?? [],
      atUs,
      by,
    });
    if (command !== null && applied !== null) {
      machines.replay({ index, term, atUs }, command, applied);
    }
  }

  private compare(known: CommittedEntry, { entry, applied, by }: Application): void {
    const { verdict } = this.parts;
    const { index, term } = known;
    const mine = applied?.outcome ?? null;
    if (entry.term === term && mine?.code === known.outcome?.code) return;
    const what = `${by} applies entry ${index} of term ${entry.term} as ${mine?.code}`;
    verdict.report('INV-5', `${what}; ${known.by} that of ${term} as ${known.outcome?.code}`);
  }
}
