// Elections and terms (RAFT.md §5, §6).

import type { MutantGroup } from './types.ts';

const ELECTION = 'src/raft/election.ts';
const PREVOTE = 'src/raft/prevote.ts';
const STICKINESS = 'src/raft/stickiness.ts';
const TERM_RULES = 'src/raft/term-rules.ts';

/** M-01 … M-14, M-68 … M-70. */
export const ELECTIONS: MutantGroup = {
  planted: [
    {
      id: 'M-01',
      title: 'grants a vote before term and vote are durable',
      file: ELECTION,
      find: `sendWithVote(core, from.nodeId, { type: 'voteResponse'`,
      replace: `const sendNow = (to, message) => core.effects.push({ type: 'send', to, message });
        sendNow(from.nodeId, { type: 'voteResponse'`,
    },
    {
      id: 'M-01b',
      title: 'grants a vote when the term is durable, but not the vote',
      file: ELECTION,
      find: `sendWithVote(core, from.nodeId, { type: 'voteResponse'`,
      replace: `send(core, from.nodeId, { type: 'voteResponse'`,
    },
    {
      id: 'M-02',
      title: 'forgets its vote when it steps down within the term',
      file: 'src/raft/roles.ts',
      find: `if (core.role !== 'follower') armElectionTimer(core);`,
      replace: `if (core.role !== 'follower') armElectionTimer(core);
        if (core.role === 'candidate' || core.role === 'leader') {
          core.hard.currentVote = null;
          core.hard.version++;
        }`,
    },
    {
      id: 'M-03',
      title: 'compares logs by index before term',
      file: STICKINESS,
      find: `if (lastTerm !== core.log.lastTerm) return lastTerm > core.log.lastTerm;`,
      replace: `if (lastIndex !== core.log.lastIndex) return lastIndex > core.log.lastIndex;`,
      also: [
        {
          find: `return lastIndex >= core.log.lastIndex;`,
          replace: `return lastTerm >= core.log.lastTerm;`,
        },
      ],
    },
    {
      id: 'M-04',
      title: 'refuses a candidate whose log is equal',
      file: STICKINESS,
      find: `return lastIndex >= core.log.lastIndex;`,
      replace: `return lastIndex > core.log.lastIndex;`,
    },
    {
      id: 'M-05',
      title: 'adopts the term that a pre-vote asks for',
      file: PREVOTE,
      find: `const reason = judge(core, request);`,
      replace: `const reason = judge(core, request);
        if (request.nextTerm > core.hard.term) adoptTerm(core, request.nextTerm);`,
      also: [
        {
          find: `import { becomeFollower } from './roles.ts';`,
          replace: `import { adoptTerm, becomeFollower } from './roles.ts';`,
        },
      ],
    },
    {
      id: 'M-05b',
      title: 'begins its wait for silence anew with each pre-vote that it is asked for',
      file: PREVOTE,
      find: `const reason = judge(core, request);`,
      replace: `const reason = judge(core, request);
        armElectionTimer(core);`,
    },
    {
      id: 'M-06',
      title: 'drops pre-votes of a lower term silently',
      file: TERM_RULES,
      find: `return refuseStalePart(core, from, message);
    case 'preVoteRequest':
      return onPreVoteRequest(core, from, message);`,
      replace: `return refuseStalePart(core, from, message);
    case 'preVoteRequest':
      return;`,
    },
    {
      id: 'M-07',
      title: 'remembers its leader as pre-candidate, and refuses others because of it',
      file: PREVOTE,
      find: `core.leaderId = null;`,
      replace: ``,
      also: [
        {
          find: `return isSticky(core) ? 'sticky' : 'granted';`,
          replace: `return core.leaderId !== null || isSticky(core) ? 'sticky' : 'granted';`,
        },
      ],
    },
    {
      id: 'M-08',
      title: 'sticks to a leader for as long as its own timer runs, not for E',
      file: 'src/raft/roles.ts',
      find: `core.election.stickyUntilUs = core.nowUs + core.settings.electionUs;
  armElectionTimer(core);`,
      replace: `armElectionTimer(core);
  core.election.stickyUntilUs = core.election.deadlineUs;`,
    },
    {
      id: 'M-09',
      title: 'does not answer a stale leader',
      file: TERM_RULES,
      find: `function onLowerTerm(core: Core, from: Sender, message: RaftMessage): void {`,
      replace: `function onLowerTerm(core: Core, from: Sender, message: RaftMessage): void {
        if (message.type === 'append' || message.type === 'heartbeat') return;`,
    },
    {
      id: 'M-09b',
      title: 'answers a stale leader with its round, as if it were one of this term',
      file: TERM_RULES,
      find: `type: 'heartbeatResponse',
        term,
        round: NO_ROUND,`,
      replace: `type: 'heartbeatResponse',
        term,
        round: message.round,`,
    },
    {
      id: 'M-10',
      title: 'counts itself twice when it asks whether a quorum still answers',
      file: 'src/raft/electorate.ts',
      find: `const lastUs = quorumValue(core, core.nowUs, (progress) => progress.lastAckSentUs);`,
      replace: `const acks = [...core.leader.progress.values()].map((each) => each.lastAckSentUs);
        const newest = [core.nowUs, core.nowUs, ...acks].sort((left, right) => right - left);
        const lastUs = majorityValue(newest.slice(0, acks.length + 1));`,
    },
    {
      id: 'M-11b',
      title: 'counts its own vote although it is no candidate any more',
      file: ELECTION,
      find: `if (core.role !== 'candidate' || !core.hard.isVoteDurable) return;`,
      replace: `if (!core.hard.isVoteDurable) return;`,
    },
    {
      id: 'M-12',
      title: 'waits anew for silence also after a vote that it refused',
      file: ELECTION,
      find: `  if (!granted) {
    send(`,
      replace: `  if (!granted) {
    armPatientTimer(core);
    send(`,
    },
    {
      id: 'M-13',
      title: 'votes for others while it leads and a quorum answers',
      file: STICKINESS,
      find: `if (core.role === 'leader') return isQuorumActive(core);`,
      replace: `if (core.role === 'leader') return false;`,
    },
    {
      id: 'M-14',
      title: 'counts pre-votes as votes: the tally is not cleared',
      file: ELECTION,
      find: `core.election.votes.clear();`,
      replace: ``,
    },
    {
      id: 'M-68',
      title: 'asks for votes before its own is durable',
      file: ELECTION,
      find: `sendWithVote(core, nodeId, {
      type: 'voteRequest',
      term: hard.term,
      lastIndex: log.lastIndex,
      lastTerm: log.lastTerm,
      transfer,
    });`,
      replace: `core.effects.push({
      type: 'send',
      to: nodeId,
      message: {
        type: 'voteRequest',
        term: hard.term,
        lastIndex: log.lastIndex,
        lastTerm: log.lastTerm,
        transfer: false,
      },
    });`,
    },
    {
      id: 'M-69',
      title: 'drops answers to pre-votes that are of a lower term',
      file: TERM_RULES,
      find: `return onPreVoteResponse(core, from, message);
    case 'voteRequest':
      return send(core`,
      replace: `return;
    case 'voteRequest':
      return send(core`,
    },
    {
      id: 'M-70',
      title: 'takes the peers of a fresh leader for silent',
      file: 'src/raft/progress.ts',
      find: `this.lastAckSentUs = start.nowUs;`,
      replace: `this.lastAckSentUs = 0;`,
    },
  ],
  unplanted: [
    {
      id: 'M-11',
      title: 'counts its own vote before it is durable',
      because: 'equivalent',
      why:
        'no other vote can arrive before ours is durable, for the requests wait for the same ' +
        'write (planted as M-68); a sole voter tallies only when that write completes, and what ' +
        'it appends waits for its term',
    },
    {
      id: 'M-14b',
      title: 'counts answers to earlier polls',
      because: 'equivalent',
      why:
        'for safety and liveness: pre-votes decide only whether a real election begins, whose ' +
        'votes are counted apart; one that begins too early is refused by those that hear a leader',
    },
  ],
};
