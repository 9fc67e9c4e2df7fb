// Rules of reads, polls and replication, against nodes that break them (RAFT.md §6.3, §7.5, §8).

import { describe, expect, test } from 'vitest';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { Sender } from '../../src/raft/messages.ts';
import { watchElections } from '../../sim/oracle/election-rules.ts';
import { watchReads } from '../../sim/oracle/read-rules.ts';
import { watchReplication } from '../../sim/oracle/replication-rules.ts';
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
