// Changes of the membership (RAFT.md §10).

import type { MutantGroup } from './types.ts';

const ELECTORATE = 'src/raft/electorate.ts';
const MEMBERSHIP = 'src/raft/membership.ts';

/** M-43 … M-48, N-27 … N-29, N-45. */
export const MEMBERSHIPS: MutantGroup = {
  planted: [
    {
      id: 'M-43',
      title: 'a configuration takes effect when committed, not when appended',
      file: ELECTORATE,
      find: `= core.configurations.latest.config;
  const valueFor`,
      replace: `= core.configurations.at(core.commitIndex).config;
  const valueFor`,
      also: [
        {
          find: `= core.configurations.latest.config;
  return jointTally`,
          replace: `= core.configurations.at(core.commitIndex).config;
  return jointTally`,
        },
      ],
    },
    {
      id: 'M-44',
      title: 'keeps a configuration whose entry was cut',
      file: 'src/raft/follower.ts',
      find: `    configurations.truncateFrom(first.index);
`,
      replace: ``,
    },
    {
      id: 'M-45',
      title: 'allows a second change before the first is committed',
      file: MEMBERSHIP,
      find: "if (latest.index > core.commitIndex) return 'The change",
      replace: "if (latest.index > Infinity) return 'The change",
      // The desk waits for it, too.
      also: [
        {
          file: 'src/node/membership-facts.ts',
          find: 'const isFinal = configIndex <= commitIndex &&',
          replace: 'const isFinal = configIndex <= Math.max(configIndex, commitIndex) &&',
        },
      ],
    },
    {
      id: 'M-45b',
      title: 'allows a change before an entry of its term is committed',
      file: MEMBERSHIP,
      find: `  if (core.commitIndex < leader.noopIndex) {`,
      replace: `  if (core.commitIndex < 0) {`,
    },
    {
      id: 'M-46',
      title: 'a removed leader goes on counting itself',
      file: ELECTORATE,
      find: `const incoming = majorityValue(voters.map(valueFor));`,
      replace: `const values = voters.map(valueFor);
  if (!voters.some((each) => each.nodeId === core.self.nodeId)) values.push(own);
  const incoming = majorityValue(values);`,
    },
    {
      id: 'M-47',
      title: 'a joint configuration asks the new half only, of entries',
      file: ELECTORATE,
      find: `  return Math.min(incoming, majorityValue(votersOutgoing.map(valueFor)));`,
      replace: `  return incoming;`,
    },
    {
      id: 'M-47b',
      title: 'a joint configuration asks the new half only, of votes',
      file: ELECTORATE,
      find: `return jointTally(tallyOf(core, voters), tallyOf(core, votersOutgoing));`,
      replace: `return votersOutgoing.length < 0 ? 'lost' : tallyOf(core, voters);`,
    },
    {
      id: 'M-48',
      title: 'a removed leader hands over to nobody',
      file: MEMBERSHIP,
      find: `  else if (!isVoter(config, core.self)) abdicate(core, leader);
`,
      replace: ``,
    },
    {
      id: 'N-27',
      title: 'a leader does not finish the change that its predecessor began',
      file: MEMBERSHIP,
      find: `if (config.votersOutgoing.length > 0) leaveJoint(core, config);`,
      replace: `if (config.votersOutgoing.length > 0) {
    if (core.log.termAt(index) === core.hard.term) leaveJoint(core, config);
  }`,
    },
    {
      id: 'N-28',
      title: 'promotes who does not keep up',
      file: MEMBERSHIP,
      find: `if (!progress.catchUp.isShorterThan(core.settings.electionUs, core.nowUs)) {`,
      replace: `if (progress.matchIndex < 0) {`,
    },
    {
      id: 'N-29',
      title: 'believes a member that lags that it was removed',
      file: 'src/raft/membership-standing.ts',
      find: `return toldAt > latest.index;`,
      replace: `return toldAt >= 0;`,
    },
    {
      id: 'N-45',
      title: 'a learner never campaigns, though nobody else can be elected',
      file: 'src/raft/prevote.ts',
      find: `if (reason === 'log') core.election.isCalled = true;`,
      replace: ``,
    },
  ],
  unplanted: [],
};
