// INV-14 beyond what a run happened to see: any request may come once more, at any later time. The
// committed log is replayed up to some entry, and then every request of it comes again. The same
// model that judged the run judges what they come to.

import type { Command } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import { MachineOracle } from './machine.ts';
import type { LockModel } from './model.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { Verdict } from './verdict.ts';

/** The state that a log begins with. */
export interface Beginning {
  readonly machine: LockMachine;
  readonly model: LockModel;
}

/** A run as it went, and who judges it. */
export interface Replayed {
  readonly log: CommittedLog;
  readonly begin: () => Beginning;
  readonly verdict: Verdict;
  /** Chooses the entry after which everything comes again. */
  readonly noise: number;
}

/** Reports what a late duplicate does that it must not. Costs a replay of the log. */
export function checkDuplicates({ log, begin, verdict, noise }: Replayed): void {
  const { entries } = log;
  const upTo = entries.slice(0, 1 + (noise % Math.max(1, entries.length)));
  const last = upTo.at(-1);
  if (last === undefined) return;
  const { machine, model } = begin();
  const oracle = new MachineOracle({ verdict, model });
  const apply = (entry: CommittedEntry, command: Command): void => {
    const { index, term, atUs } = entry;
    oracle.replay({ index, term, atUs }, command, machine.apply(index, term, command));
  };
  for (const entry of upTo) if (entry.command !== null) apply(entry, entry.command);
  let { index } = last;
  for (const { command } of upTo) {
    if (command !== null && mayComeAgain(command)) apply({ ...last, index: ++index }, command);
  }
}

/** What a client sends under a number of its session; closing would end what is looked at. */
function mayComeAgain({ op }: Command): boolean {
  return op === 'acquire' || op === 'release' || op === 'cancel' || op === 'proclaim';
}
