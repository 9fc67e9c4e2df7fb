// What a leader must know of its followers after each of their answers (RAFT.md §7.5).

import type { HostWatch } from '../../src/node/host-types.ts';
import type { Core } from '../../src/raft/state.ts';
import type { Verdict } from './verdict.ts';

/** For a new life of a node: an answer, however late, never moves what it sends next back. */
export function watchReplication(verdict: Verdict): HostWatch {
  let watched: Core | null = null;
  return {
    started: (core) => {
      watched = core;
    },
    stepped: (event) => {
      if (event.type !== 'message' || event.message.type !== 'appendResponse') return;
      const progress = watched?.leader?.progress.get(event.from.nodeId);
      if (progress === undefined || progress.next > progress.matchIndex) return;
      const what = `sends ${event.from.nodeId} entries from ${progress.next} on`;
      verdict.report('LIV-4', `${what}, though it acknowledged ${progress.matchIndex}`);
    },
    applied: () => {},
    installed: () => {},
  };
}
