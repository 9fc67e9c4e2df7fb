// Commands that came after the first release. A leader appends none that a member does not apply:
// nodes of two releases would go different ways (E#11689; RAFT.md §12, DESIGN.md §4.14).

import type { Command } from '../locks/commands.ts';

/** The newest set that this release applies; every node announces its own in the handshake. */
export const COMMAND_SET = 2;

/** The set that a command belongs to; whatever is not named here was there from the beginning. */
const SETS: Partial<Record<Command['op'], number>> = { liftEmbargo: 2, setLimits: 2 };

/** From which set on nodes apply this command. */
export function commandSetOf(op: Command['op']): number {
  return SETS[op] ?? 1;
}
