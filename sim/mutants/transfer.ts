// The transfer of leadership (RAFT.md §11).

import type { MutantGroup } from './types.ts';

const ELECTION = 'src/raft/election.ts';
const TRANSFER_FILE = 'src/raft/transfer.ts';

/** M-49, M-50, N-30 … N-32. */
export const TRANSFERS: MutantGroup = {
  planted: [
    {
      id: 'M-49',
      title: 'asks for a transfer before the target has the whole log',
      file: TRANSFER_FILE,
      find: `if (!hasAll || nowUs < handover.askUs) return;`,
      replace: `if (nowUs < handover.askUs) return;`,
    },
    {
      id: 'M-50',
      title: 'admits work between the wish for a transfer and its beginning',
      file: 'src/raft/proposals.ts',
      find: `if (leader.handover !== null) return {`,
      replace: `if (leader.handover?.isAsked === true) return {`,
    },
    {
      id: 'N-30',
      title: 'who was asked to lead asks for votes like anybody else',
      file: ELECTION,
      find: `startElection(core, true);`,
      replace: `startElection(core, false);`,
    },
    {
      id: 'N-31',
      title: 'waits for ever for a target that does not take over',
      file: TRANSFER_FILE,
      find: `if (nowUs >= handover.deadlineUs) {`,
      replace: `if (nowUs >= handover.deadlineUs + 1e12) {`,
    },
    {
      id: 'N-32',
      title: 'campaigns when it is asked to, though it may not',
      file: ELECTION,
      find: `  if (!mayCampaign(core)) return;
  probes.reach('asked-to-lead');`,
      replace: `  if (mayCampaign(core)) probes.reach('asked-to-lead');`,
    },
  ],
  unplanted: [],
};
