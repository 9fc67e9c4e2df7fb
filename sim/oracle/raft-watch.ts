import type { HostWatch } from '../../src/node/host-types.ts';

/** Both look, the first one first. */
export function watchBoth(first: HostWatch, second: HostWatch | undefined): HostWatch {
  if (second === undefined) return first;
  return {
    started: (core, start, machine) => {
      first.started(core, start, machine);
      second.started(core, start, machine);
    },
    stepped: (event, effects) => {
      first.stepped(event, effects);
      second.stepped(event, effects);
    },
    applied: (entry, command, applied) => {
      first.applied(entry, command, applied);
      second.applied(entry, command, applied);
    },
  };
}
