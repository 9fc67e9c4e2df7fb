// Rules of elections, and of one leader, against nodes that break them (RAFT.md §6, §7.1, §12).

import { describe, expect, test } from 'vitest';
import type { RaftEffect } from '../../src/raft/events.ts';
import type { RaftMessage, Sender } from '../../src/raft/messages.ts';
import { watchElections } from '../../sim/oracle/election-rules.ts';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { createRig } from './oracle-rig.ts';
import type { Rig, Witness } from './oracle-rig.ts';

/** One node under the rules, from now on. */
class Suspect {
  readonly verdict = new Verdict(() => 0);
  readonly core: Witness['core'];
  readonly peers: readonly Sender[];
  private readonly watch = watchElections(this.verdict);

  constructor({ core, start, machine }: Witness) {
    this.core = core;
    const { voters } = core.configurations.latest.config;
    this.peers = voters
      .filter(({ nodeId }) => nodeId !== core.self.nodeId)
      .map(({ nodeId, storeId }) => ({ nodeId, storeId, bootCount: 1 }));
    this.watch.started(core, start, machine);
    this.watch.stepped({ type: 'tick' }, []);
  }

  get peer(): Sender {
    const [first] = this.peers;
    if (first === undefined) throw new Error('a node without peers');
    return first;
  }

  get term(): number {
    return this.core.hard.term;
  }

  tick(): void {
    this.watch.stepped({ type: 'tick' }, []);
  }

  hears(message: RaftMessage, ...effects: readonly RaftEffect[]): void {
    this.watch.stepped({ type: 'message', from: this.peer, message }, effects);
  }

  /** So many election timeouts pass without a stall; `act` comes before each tick. */
  passes(elections: number, act: () => void = () => {}): void {
    for (let quarter = 0; quarter < elections * 4; quarter++) {
      this.core.nowUs += this.core.settings.electionUs / 4;
      act();
      this.tick();
    }
  }

  poll(...effects: readonly RaftEffect[]): void {
    const { term } = this;
    const { lastIndex, lastTerm } = this.core.log;
    const poll = { term, nextTerm: term + 1, poll: 1, lastIndex, lastTerm };
    this.hears({ type: 'preVoteRequest', ...poll }, ...effects);
  }

  answersPoll(reason: 'granted' | 'sticky'): RaftEffect {
    const { term, peer } = this;
    const granted = reason === 'granted';
    const answer = { term, requestTerm: term + 1, poll: 1, granted, reason } as const;
    return { type: 'send', to: peer.nodeId, message: { type: 'preVoteResponse', ...answer } };
  }

  asksForVote(term: number): void {
    this.hears({ type: 'voteRequest', term, lastIndex: 0, lastTerm: 0, transfer: false });
  }

  /** The heartbeat that leaves now is answered at once. */
  isAnswered(): void {
    const { core, term } = this;
    const round = core.leader?.rounds.begin(core.nowUs) ?? 0;
    const { lastIndex } = core.log;
    const indices = { lastIndex, durableIndex: lastIndex };
    this.hears({ type: 'heartbeatResponse', term, round, ...indices });
  }

  entersTerm(term: number): void {
    this.core.hard.enterTerm(term, null);
  }
}

interface Case {
  readonly oracle: OracleName;
  readonly what: string;
  readonly who: 'leader' | 'follower';
  readonly act: (suspect: Suspect) => void;
}

const LIES: readonly Case[] = [
  {
    oracle: 'LIV-2',
    what: 'M-05 a poll whose term is taken over',
    who: 'follower',
    act: (suspect) => {
      suspect.entersTerm(suspect.term + 1);
      suspect.poll(suspect.answersPoll('granted'));
    },
  },
  {
    oracle: 'LIV-2',
    what: 'M-05b a poll that begins the wait anew',
    who: 'follower',
    act: (suspect) => {
      suspect.core.election.deadlineUs += 1;
      suspect.poll(suspect.answersPoll('granted'));
    },
  },
  {
    oracle: 'LIV-1',
    what: 'M-06 a poll that is not answered',
    who: 'follower',
    act: (suspect) => suspect.poll(),
  },
  {
    oracle: 'LIV-1',
    what: 'M-07 a leader that is followed while votes are asked for',
    who: 'follower',
    act: (suspect) => {
      suspect.core.role = 'preCandidate';
      suspect.tick();
    },
  },
  {
    oracle: 'LIV-1',
    what: 'M-08 a refusal for a leader that was not heard of for longer than E',
    who: 'follower',
    act: (suspect) => {
      suspect.passes(1.25);
      suspect.poll(suspect.answersPoll('sticky'));
    },
  },
  {
    oracle: 'LIV-1',
    what: 'M-08 a vote that is refused for such a leader',
    who: 'follower',
    act: (suspect) => {
      suspect.passes(1.25);
      suspect.asksForVote(suspect.term + 1);
    },
  },
  {
    oracle: 'LIV-1',
    what: 'M-09 a stale leader that is not answered',
    who: 'follower',
    act: (suspect) =>
      suspect.hears({ type: 'heartbeat', term: suspect.term - 1, commit: 0, round: 1 }),
  },
  {
    oracle: 'LIV-1',
    what: 'M-12 a refused vote that begins the wait anew',
    who: 'follower',
    act: (suspect) => {
      suspect.entersTerm(suspect.term + 1);
      suspect.core.election.deadlineUs += 1;
      suspect.asksForVote(suspect.term);
    },
  },
  {
    oracle: 'LIV-2',
    what: 'M-13 a healthy leader that a vote deposes',
    who: 'leader',
    act: (suspect) => {
      const term = suspect.term + 1;
      suspect.entersTerm(term);
      suspect.core.role = 'follower';
      suspect.asksForVote(term);
    },
  },
  {
    oracle: 'LIV-2',
    what: 'M-10 a leader that no quorum answers',
    who: 'leader',
    act: (suspect) => suspect.passes(1.75),
  },
  {
    oracle: 'LIV-2',
    what: 'M-70 a leader that steps down before it could have been answered',
    who: 'leader',
    act: (suspect) => {
      suspect.core.role = 'follower';
      suspect.tick();
    },
  },
  {
    oracle: 'LIV-2',
    what: 'M-70 a leader that steps down though it was answered',
    who: 'leader',
    act: (suspect) => {
      suspect.passes(2, () => suspect.isAnswered());
      suspect.core.role = 'follower';
      suspect.passes(0.25);
    },
  },
];

const TRUTHS: readonly Omit<Case, 'oracle'>[] = [
  {
    what: 'a poll that is granted, or refused for a leader that was just heard of',
    who: 'follower',
    act: (suspect) => {
      suspect.passes(1.25);
      suspect.hears({ type: 'heartbeat', term: suspect.term, commit: 0, round: 1 });
      suspect.poll(suspect.answersPoll('sticky'));
      suspect.poll(suspect.answersPoll('granted'));
    },
  },
  {
    what: 'a refusal right after a stall, in which heartbeats may have come',
    who: 'follower',
    act: (suspect) => {
      suspect.core.nowUs += suspect.core.settings.electionUs * 2;
      suspect.poll(suspect.answersPoll('sticky'));
    },
  },
  {
    what: 'a leader that one of two others answers',
    who: 'leader',
    act: (suspect) => suspect.passes(5, () => suspect.isAnswered()),
  },
  {
    what: 'a leader that steps down after E without an answer',
    who: 'leader',
    act: (suspect) => {
      suspect.passes(1);
      suspect.core.role = 'follower';
      suspect.tick();
    },
  },
  {
    what: 'a leader that wakes after long, and another one has the term',
    who: 'leader',
    act: (suspect) => {
      suspect.core.nowUs += suspect.core.settings.electionUs * 3;
      suspect.tick();
      suspect.passes(1);
    },
  },
];

async function suspectOf(who: Case['who']): Promise<Suspect> {
  const rig: Rig = await createRig(1);
  return new Suspect(who === 'leader' ? rig.leader : rig.followers[0]);
}

describe('the rules of elections', () => {
  test.each(LIES)('$oracle sees $what', async ({ oracle, who, act }) => {
    const suspect = await suspectOf(who);
    expect(suspect.verdict.violation).toBe(null);
    act(suspect);
    expect(suspect.verdict.violation?.oracle).toBe(oracle);
  });

  test.each(TRUTHS)('LIV-1 LIV-2 let pass $what', async ({ who, act }) => {
    const suspect = await suspectOf(who);
    act(suspect);
    expect(suspect.verdict.violation).toBe(null);
  });
});
