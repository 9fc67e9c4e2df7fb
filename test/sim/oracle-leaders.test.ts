// What a leader may and must do by itself, against leaders that do not (RAFT.md §7.1, §7.6, §12).

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import type { EntryType } from '../../src/raft/entry.ts';
import type { Proposal, Refusal } from '../../src/raft/events.ts';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import { createRig, doing, nextEntry, sending, storing, writing } from './oracle-rig.ts';
import type { Rig } from './oracle-rig.ts';

interface Lie {
  readonly oracle: OracleName;
  readonly what: string;
  readonly tell: (rig: Rig) => void;
}

const LIES: readonly Lie[] = [
  {
    oracle: 'INV-4',
    what: 'a leader that counts disks for an entry of an earlier term (M-15)',
    tell: (rig) => {
      const { leader, followers } = rig;
      const old = nextEntry(leader, 'of the term before');
      storing(leader, old);
      storing(followers[0], old);
      electing(rig, 'noop');
      leader.core.commitIndex = old.index;
      doing(leader);
    },
  },
  {
    oracle: 'LIV-3',
    what: 'a leader that begins its term without an entry (M-16)',
    tell: (rig) => electing(rig, 'command'),
  },
  {
    oracle: 'LIV-3',
    what: 'a leader that takes on work without limit (M-31)',
    tell: ({ leader }) => {
      const half = workOf(leader.core.settings.uncommittedBytesMax / 2);
      proposing(leader, [half, half], null);
    },
  },
  {
    oracle: 'LIV-3',
    what: 'a leader that refuses work although it has room (M-31b)',
    tell: ({ leader }) => proposing(leader, [workOf(1)], 'OVERLOADED'),
  },
  {
    oracle: 'LIV-3',
    what: 'a leader that refuses a no-op for want of room',
    tell: ({ leader }) => {
      proposing(leader, [workOf(leader.core.settings.uncommittedBytesMax)], null);
      proposing(leader, [{ ...workOf(1), type: 'noop' }], 'OVERLOADED');
    },
  },
];

/** The leader is elected once more, in the next term, and begins it with an entry of that type. */
function electing({ leader, followers: [, second], ids: [id] }: Rig, type: EntryType): void {
  const term = leader.core.hard.term + 1;
  writing(second, term, id);
  sending(second, id, { type: 'voteResponse', term, granted: true });
  writing(leader, term, id);
  const { hard } = leader.core;
  hard.enterTerm(term, leader.core.self);
  hard.onWritten(hard.takeUnwritten() ?? 0);
  const noop = { ...nextEntry(leader, ''), type };
  leader.core.log.append(noop);
  const office = present(leader.core.leader, 'the state of a leader');
  leader.core.leader = { ...office, noopIndex: noop.index };
  doing(leader);
}

function workOf(bytes: number): Proposal {
  return { type: 'command', payload: new Uint8Array(bytes), internal: false, record: null };
}

/** The leader accepts all of these, or refuses the first one. */
function proposing(
  { core, watch }: Rig['leader'],
  proposals: readonly Proposal[],
  refusal: Refusal | null,
): void {
  const accepted = refusal === null ? proposals.length : 0;
  const answer = { term: core.hard.term, firstIndex: core.log.lastIndex + 1, accepted, refusal };
  watch.stepped({ type: 'propose', proposals }, [{ type: 'proposed', ...answer }]);
}

describe('the oracle of consensus, on leaders', () => {
  test('LIV-3 a leader may take one entry of any size, and refuse what does not fit beside', async () => {
    const { leader, verdict } = await createRig(1);
    const most = leader.core.settings.uncommittedBytesMax;
    proposing(leader, [workOf(most * 2)], null);
    proposing(leader, [workOf(1)], 'OVERLOADED');
    expect(verdict.violation).toBe(null);
  });

  test.each(LIES)('$oracle is broken by $what', async ({ oracle, tell }) => {
    const rig = await createRig(1);
    expect(rig.verdict.violation).toBeNull();
    tell(rig);
    expect(rig.verdict.violation?.oracle, rig.verdict.violation?.message).toBe(oracle);
  });
});
