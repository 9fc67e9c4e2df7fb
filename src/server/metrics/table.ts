// The names that a node's metrics have, what they mean, and where their values are read.

import type { NodeStatus } from '../../wire/client-messages.ts';
import type { Tally } from './tally.ts';

/** Links of a node and requests for some that were refused. */
export interface LinkCounts {
  readonly peerLinks: number;
  readonly clientLinks: number;
  readonly refusedUpgrades: number;
}

/** All that metrics are read from, at one moment. */
export interface Reading {
  readonly status: NodeStatus;
  readonly links: LinkCounts;
  readonly tally: Tally;
  /** Longest since the reading before. */
  readonly loopDelaySeconds: number;
}

/** One value, or one for each value of a label. */
export interface MetricRow {
  /** Without the prefix. */
  readonly name: string;
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly label?: string;
  readonly read: (from: Reading) => number | Iterable<readonly [string, number]>;
}

const MS_PER_S = 1_000;

const gauge = (name: string, help: string, read: (from: Reading) => number): MetricRow => {
  return { name, kind: 'gauge', help, read };
};

const counter = (name: string, help: string, read: (from: Reading) => number): MetricRow => {
  return { name, kind: 'counter', help, read };
};

const ofEach = (
  [name, label]: readonly [string, string],
  help: string,
  read: (from: Reading) => Iterable<readonly [string, number]>,
): MetricRow => ({ name, kind: 'counter', help, label, read });

const STANDING: readonly MetricRow[] = [
  gauge('is_leader', '1 on the node that leads', ({ status }) => Number(isLeader(status))),
  gauge('is_ready', '1 while the node can serve', ({ status }) => Number(status.isReady)),
  gauge('term', 'Term of the node', ({ status }) => status.term),
  gauge('commit_index', 'Last entry known to be committed', ({ status }) => status.commitIndex),
  gauge('applied_index', 'Last entry that was applied', ({ status }) => status.appliedIndex),
  gauge('durable_index', 'Last entry on the disk of the node', ({ status }) => status.durableIndex),
  gauge('checkpoint_index', 'Last entry in the checkpoint', ({ status }) => status.checkpointIndex),
  gauge('log_entries', 'Entries of the log', ({ status }) => status.lastIndex - status.anchorIndex),
  gauge('stuck_seconds', 'For how long nothing committed was applied', ({ status }) => {
    return status.stuckMs / MS_PER_S;
  }),
  gauge('embargo_seconds', 'For how long nothing is granted after a restore', ({ status }) => {
    return (status.embargoLeftMs ?? 0) / MS_PER_S;
  }),
  gauge('alarms', 'What an operator must look at: see status', ({ status }) => {
    return status.alarms.length;
  }),
  gauge('sessions', 'Sessions that live', ({ status }) => status.sessions),
  gauge('locks', 'Locks that are held or waited for', ({ status }) => status.locks),
  {
    ...gauge('peer_connected', '1 while there is a link to that node', () => 0),
    label: 'peer',
    read: ({ status }) =>
      status.peers.map(({ nodeId, isConnected }) => [nodeId, Number(isConnected)] as const),
  },
  {
    ...gauge('peer_lag_entries', 'Entries that the leader has and that node lacks', () => 0),
    label: 'peer',
    read: ({ status }) => (isLeader(status) ? lags(status) : []),
  },
];

const WORK: readonly MetricRow[] = [
  {
    ...gauge('links', 'Links that came in', () => 0),
    label: 'door',
    read: ({ links }) => [
      ['peer', links.peerLinks],
      ['client', links.clientLinks],
    ],
  },
  counter('refused_links_total', 'Links that were refused', ({ links }) => links.refusedUpgrades),
  gauge('event_loop_delay_max_seconds', 'Longest since the last scrape', (from) => {
    return from.loopDelaySeconds;
  }),
  counter('elections_won_total', 'How often it was elected', ({ tally }) => tally.elections),
  counter('campaigns_total', 'How often it heard no leader', ({ tally }) => tally.campaigns),
  counter('leader_changes_total', 'How often another one led', ({ tally }) => tally.leaderChanges),
  counter('appended_entries_total', 'Entries for its disk', ({ tally }) => tally.appendedEntries),
  counter('appended_bytes_total', 'Commands in these', ({ tally }) => tally.appendedBytes),
  ofEach(['refusals_total', 'code'], 'Requests refused before the log', ({ tally }) => {
    return tally.refusals.entries();
  }),
  ofEach(['keepalives_total', 'code'], 'Renewals, by their answers', ({ tally }) => {
    return tally.keepAlives.entries();
  }),
];

const LOCKS: readonly MetricRow[] = [
  counter('grants_total', 'Grants', ({ tally }) => tally.grants),
  ofEach(['grants_ended_total', 'cause'], 'Grants that are over', ({ tally }) => {
    return tally.freed.entries();
  }),
  counter('waits_total', 'Acquires that had to wait', ({ tally }) => tally.queued),
  ofEach(['waits_given_up_total', 'cause'], 'Waits without a grant', ({ tally }) => {
    return tally.left.entries();
  }),
  counter('sessions_opened_total', 'Sessions', ({ tally }) => tally.sessionsOpened),
  ofEach(['sessions_ended_total', 'cause'], 'Sessions that are over', ({ tally }) => {
    return tally.sessionsEnded.entries();
  }),
  ofEach(['outcomes_total', 'code'], 'What applied commands came to', ({ tally }) => {
    return tally.outcomes.entries();
  }),
];

/** Every metric but the histograms. */
export const METRICS: readonly MetricRow[] = [...STANDING, ...WORK, ...LOCKS];

function isLeader({ role }: NodeStatus): boolean {
  return role === 'leader';
}

function lags({ lastIndex, peers }: NodeStatus): readonly (readonly [string, number])[] {
  return peers.map(({ nodeId, matchIndex }) => [nodeId, Math.max(0, lastIndex - matchIndex)]);
}
