// Rules of reads, polls and replication, against nodes that break them (RAFT.md §6.3, §7.5, §8).

import { describe, expect, test } from 'vitest';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { Sender } from '../../src/raft/messages.ts';
import { watchElections } from '../../sim/oracle/election-rules.ts';
import { watchReads } from '../../sim/oracle/read-rules.ts';
import { watchReplication } from '../../sim/oracle/replication-rules.ts';
import { watchHandOvers } from '../../sim/oracle/transfer-rules.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { createRig } from './oracle-rig.ts';
import type { Witness } from './oracle-rig.ts';

interface Watched {
  readonly verdict: Verdict;
  readonly watch: HostWatch;
}

function watched(witness: Witness, begin: (verdict: Verdict) => HostWatch): Watched {
  const verdict = new Verdict(() => 0);
  const watch = begin(verdict);
  watch.started(witness.core, witness.start, witness.machine);
  watch.stepped({ type: 'tick' }, []);
  return { verdict, watch };
}

function peersOf({ core }: Witness): readonly Sender[] {
  return core.configurations.latest.config.voters
    .filter(({ nodeId }) => nodeId !== core.self.nodeId)
    .map(({ nodeId, storeId }) => ({ nodeId, storeId, bootCount: 1 }));
}

function peerOf(witness: Witness): Sender {
  const [peer] = peersOf(witness);
  if (peer === undefined) throw new Error('a node without peers');
  return peer;
}

function answer(witness: Witness, watch: HostWatch, round: number): void {
  const { term } = witness.core.hard;
  const message = {
    type: 'heartbeatResponse',
    term,
    round,
    lastIndex: 0,
    durableIndex: 0,
  } as const;
  watch.stepped({ type: 'message', from: peerOf(witness), message }, []);
}

describe('INV-12 reads are answered', () => {
  test('M-34 only when a round confirms them that began after they came', async () => {
    const { leader } = await createRig(1);
    const { verdict, watch } = watched(leader, watchReads);
    const out = leader.core.leader?.rounds.current ?? 0;
    watch.stepped({ type: 'read', id: 1 }, []);
    answer(leader, watch, out);
    watch.stepped({ type: 'tick' }, [{ type: 'readReady', ids: [1] }]);
    expect(verdict.violation?.oracle).toBe('INV-12');
  });

  test('and then they are', async () => {
    const { leader } = await createRig(1);
    const { verdict, watch } = watched(leader, watchReads);
    watch.stepped({ type: 'read', id: 1 }, []);
    answer(leader, watch, leader.core.leader?.rounds.begin(leader.core.nowUs) ?? 0);
    watch.stepped({ type: 'tick' }, [{ type: 'readReady', ids: [1] }]);
    expect(verdict.violation).toBeNull();
  });

  test('M-33 only by a leader that committed an entry of its own term', async () => {
    const { leader } = await createRig(1);
    const { verdict, watch } = watched(leader, watchReads);
    watch.stepped({ type: 'read', id: 1 }, []);
    answer(leader, watch, leader.core.leader?.rounds.begin(leader.core.nowUs) ?? 0);
    leader.core.commitIndex = leader.core.log.anchorIndex;
    watch.stepped({ type: 'tick' }, [{ type: 'readReady', ids: [1] }]);
    expect(verdict.violation?.message).toMatch(/before it committed an entry of its term/);
  });
});

describe('LIV-1 M-69 a voter of a lower term counts', () => {
  async function ask(isCounted: boolean): Promise<string | undefined> {
    const { followers } = await createRig(1);
    const [asking] = followers;
    const { core } = asking;
    const { verdict, watch } = watched(asking, watchElections);
    Object.assign(core, { role: 'preCandidate', leaderId: null });
    watch.stepped({ type: 'tick' }, []);
    const from = peerOf(asking);
    if (isCounted) core.election.votes.set(from.storeId, true);
    const { term } = core.hard;
    const { poll } = core.election;
    const grant = { granted: true, reason: 'granted' } as const;
    const message = {
      type: 'preVoteResponse',
      term: term - 1,
      requestTerm: term + 1,
      poll,
    } as const;
    watch.stepped({ type: 'message', from, message: { ...message, ...grant } }, []);
    return verdict.violation?.oracle;
  }

  test('when it would vote for us', async () => {
    expect([await ask(false), await ask(true)]).toEqual(['LIV-1', undefined]);
  });
});

test('INV-12 M-09b an answer to an earlier term names no round', async () => {
  const { leader } = await createRig(1);
  const { verdict, watch } = watched(leader, watchElections);
  const from = peerOf(leader);
  const { term } = leader.core.hard;
  const stale = { type: 'heartbeat', term: term - 1, commit: 0, round: 7 } as const;
  const told = { type: 'heartbeatResponse', term, lastIndex: 0, durableIndex: 0 } as const;
  const say = (round: number): void =>
    watch.stepped({ type: 'message', from, message: stale }, [
      { type: 'send', to: from.nodeId, message: { ...told, round } },
    ]);
  say(0);
  expect(verdict.violation).toBeNull();
  say(7);
  expect(verdict.violation?.oracle).toBe('INV-12');
});

test('LIV-4 M-24 a late rejection never moves what is sent next back', async () => {
  const { leader } = await createRig(1);
  const { verdict, watch } = watched(leader, watchReplication);
  const from = peerOf(leader);
  const progress = leader.core.leader?.progress.get(from.nodeId);
  if (progress === undefined) throw new Error('a leader without followers');
  const { term } = leader.core.hard;
  const hint = { matchIndex: 0, rejectedPrev: 1, hintIndex: 0, hintTerm: 0, round: 1 };
  const message = { type: 'appendResponse', term, ok: false, ...hint } as const;
  watch.stepped({ type: 'message', from, message }, []);
  expect(verdict.violation).toBeNull();
  progress.next = progress.matchIndex;
  watch.stepped({ type: 'message', from, message }, []);
  expect(verdict.violation?.oracle).toBe('LIV-4');
});

describe('R-74 a leader that hands over', () => {
  async function handingOver() {
    const { leader } = await createRig(1);
    const { core } = leader;
    const { verdict, watch } = watched(leader, watchHandOvers);
    const { nowUs } = core;
    const { nodeId: target } = peerOf(leader);
    const handover = { target, ids: [], deadlineUs: nowUs, askUs: nowUs, isAsked: false };
    Object.assign(core.leader ?? {}, { handover });
    watch.stepped({ type: 'tick' }, []);
    return { core, verdict, watch };
  }

  test('LIV-1 M-50 appends nothing', async () => {
    const { core, verdict, watch } = await handingOver();
    expect(verdict.violation).toBeNull();
    const { lastIndex, lastTerm: term } = core.log;
    const entry = { index: lastIndex + 1, term, prevTerm: term, config: null };
    core.log.append({ ...entry, type: 'noop', payload: new Uint8Array(0), record: null });
    watch.stepped({ type: 'tick' }, []);
    expect(verdict.violation?.message).toMatch(/appends entry .* while it hands over/);
  });

  test('LIV-3 N-31 goes on when nobody takes over within an election time-out', async () => {
    const { core, verdict, watch } = await handingOver();
    core.nowUs += core.settings.electionUs;
    watch.stepped({ type: 'tick' }, []);
    expect(verdict.violation).toBeNull();
    core.nowUs += core.settings.electionUs;
    watch.stepped({ type: 'tick' }, []);
    expect(verdict.violation?.oracle).toBe('LIV-3');
  });
});

test('LIV-1 N-30 R-74 whoever was asked to lead says so when it asks for votes', async () => {
  const { followers } = await createRig(1);
  const [asked] = followers;
  const { core } = asked;
  const from = peerOf(asked);
  const { lastIndex, lastTerm } = core.log;
  const { verdict, watch } = watched(asked, watchHandOvers);
  const message = { type: 'timeoutNow', term: core.hard.term } as const;
  core.hard.enterTerm(core.hard.term + 1, core.self);
  Object.assign(core, { role: 'candidate', leaderId: null });
  watch.stepped({ type: 'message', from, message }, []);
  const { term } = core.hard;
  const ask = (transfer: boolean): void => {
    const request = { type: 'voteRequest', term, lastIndex, lastTerm, transfer } as const;
    watch.stepped({ type: 'tick' }, [{ type: 'send', to: from.nodeId, message: request }]);
  };
  ask(true);
  expect(verdict.violation).toBeNull();
  ask(false);
  expect(verdict.violation?.oracle).toBe('LIV-1');
});
