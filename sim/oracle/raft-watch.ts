import type { HostWatch } from '../../src/node/host-types.ts';

/** All of them look, in this order. */
export function watchAll(watches: readonly HostWatch[]): HostWatch {
  return {
    started: (core, start, machine) => {
      for (const watch of watches) watch.started(core, start, machine);
    },
    stepped: (event, effects) => {
      for (const watch of watches) watch.stepped(event, effects);
    },
    applied: (entry, command, applied) => {
      for (const watch of watches) watch.applied(entry, command, applied);
    },
    installed: (machine, appliedIndex) => {
      for (const watch of watches) watch.installed(machine, appliedIndex);
    },
  };
}
