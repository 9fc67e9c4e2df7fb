// What the list foresees for capabilities that are not there yet (RAFT.md §9 … §11).

import type { MutantGroup, Unplanted } from './types.ts';

function waiting(id: string, title: string, why: string): Unplanted {
  return { id, title, because: 'waits', why };
}

const SNAPSHOTS = 'for snapshots';
const MEMBERSHIP = 'for membership changes';
const TRANSFER = 'for the transfer of leadership';

/** M-36 … M-50, M-81, M-84. */
export const LATER: MutantGroup = {
  planted: [],
  unplanted: [
    waiting('M-36', 'leaves the stored answers out of the snapshot', SNAPSHOTS),
    waiting('M-37', 'leaves queues, or their order, out of the snapshot', SNAPSHOTS),
    waiting('M-38', 'merges a snapshot into the state that is there', SNAPSHOTS),
    waiting('M-39', 'loses the configuration with the second compaction', SNAPSHOTS),
    waiting('M-40', 'keeps conflicting entries around an installed snapshot', SNAPSHOTS),
    waiting('M-41', 'cuts the log before the snapshot is durable', SNAPSHOTS),
    waiting('M-42', 'sets the applied index back after an install', SNAPSHOTS),
    waiting('M-43', 'a configuration takes effect when applied, not when appended', MEMBERSHIP),
    waiting('M-44', 'keeps a configuration whose entry was cut', MEMBERSHIP),
    waiting('M-45', 'allows a second change before the first is committed', MEMBERSHIP),
    waiting('M-46', 'a removed leader goes on counting itself', MEMBERSHIP),
    waiting('M-47', 'a joint configuration asks the new half only', MEMBERSHIP),
    waiting('M-48', 'a removed leader never steps down', MEMBERSHIP),
    waiting('M-49', 'asks for a transfer before the target has the whole log', TRANSFER),
    waiting('M-50', 'admits work between the wish for a transfer and its beginning', TRANSFER),
    waiting('M-81', 'takes a second checkpoint before the first is durable', 'for checkpoints'),
    waiting(
      'M-84',
      'a changed limit takes effect when appended, not when applied',
      'for limits that can be changed: they are those of the founding',
    ),
  ],
};
