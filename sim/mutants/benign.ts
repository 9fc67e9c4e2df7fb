// Changes that break no promise: whoever kills one of these cries wolf.

import type { Mutant } from './types.ts';

/** Other timing, sizes, orders and encodings. */
export const BENIGN: readonly Mutant[] = [
  {
    id: 'B-01',
    title: 'timing: the first heartbeat of a leader leaves at once',
    file: 'src/raft/leadership.ts',
    find: `nextHeartbeatUs: core.nowUs + settings.heartbeatUs,`,
    replace: `nextHeartbeatUs: core.nowUs,`,
  },
  {
    id: 'B-02',
    title: 'timing: three ticks per heartbeat instead of two',
    file: 'src/node/consensus.ts',
    find: `tickUs: raftSettings.heartbeatUs / 2,`,
    replace: `tickUs: raftSettings.heartbeatUs / 3,`,
  },
  {
    id: 'B-03',
    title: 'batch size: committed entries are applied one by one',
    file: 'src/raft/apply.ts',
    find: `bytesMax: core.settings.applyBytesMax,`,
    replace: `bytesMax: 1,`,
  },
  {
    id: 'B-04',
    title: 'order: a leader serves its peers the other way round',
    file: 'src/raft/leadership.ts',
    find: `for (const member of othersOf(config, core.self)) {`,
    replace: `for (const member of othersOf(config, core.self).reverse()) {`,
  },
  {
    id: 'B-05',
    title: 'encoding: other order of the fields of heartbeats',
    file: 'src/wire/peer.ts',
    find: `message.term, message.commit, message.round];`,
    replace: `message.term, message.round, message.commit];`,
    also: [
      {
        find: `commit: read.integer('commit'), round: read.integer('round') };`,
        replace: `round: read.integer('round'), commit: read.integer('commit') };`,
      },
    ],
  },
  {
    id: 'B-06',
    title: 'back-off: a client waits longer before it sends again',
    file: 'src/client/requests.ts',
    find: `const PAUSE_FIRST_US = 10_000;`,
    replace: `const PAUSE_FIRST_US = 30_000;`,
  },
  {
    id: 'B-07',
    title: 'window: a client has eight requests in flight at most',
    file: 'src/client/in-flight.ts',
    find: `const COUNT_MAX = 1_000;`,
    replace: `const COUNT_MAX = 8;`,
  },
  {
    id: 'B-08',
    title: 'timing: a client renews after a quarter of the TTL instead of a third',
    file: 'src/client/renewer.ts',
    find: `export const RENEW_SHARE = 1 / 3;`,
    replace: `export const RENEW_SHARE = 1 / 4;`,
  },
  {
    id: 'B-09',
    title: 'timing: a leader lets leases run 5 ms longer',
    file: 'src/node/deadline-table.ts',
    find: `return Math.max(baseUs, entry.startedUs) + entry.durationUs;`,
    replace: `return Math.max(baseUs, entry.startedUs) + entry.durationUs + 5_000;`,
  },
  {
    id: 'B-10',
    title: 'timing: peers dial one another again sooner',
    file: 'src/node/peer-dialer.ts',
    find: `const REDIAL_MS_MAX = 250;`,
    replace: `const REDIAL_MS_MAX = 80;`,
  },
  {
    id: 'B-11',
    title: 'window: a checkpoint is sent one piece at a time',
    file: 'src/node/snapshot-sender.ts',
    find: `if (this.window.length >= this.options.partsInFlightMax) return;`,
    replace: `if (this.window.length >= 1) return;`,
  },
  {
    id: 'B-12',
    title: 'order: of those that are equally far, the last voter is the heir of a leader',
    file: 'src/raft/transfer.ts',
    find: `matchOf(leader, nodeId) > matchOf(leader, best)`,
    replace: `matchOf(leader, nodeId) >= matchOf(leader, best)`,
  },
];
