// Rules of the membership, against a node that breaks them (RAFT.md §10.4).

import { describe, expect, test } from 'vitest';
import { watchMembership } from '../../sim/oracle/membership-rules.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import type { RaftEffect } from '../../src/raft/events.ts';
import { createRig } from './oracle-rig.ts';

describe('R-69 M-48 a leader that has taken itself out', () => {
  /** What the oracle says when it goes in a step with these effects; null: nothing. */
  async function going(isCommitted: boolean, ...effects: RaftEffect[]): Promise<string | null> {
    const { leader } = await createRig(11);
    const { core, start, machine } = leader;
    const verdict = new Verdict(() => 0);
    const watch = watchMembership(verdict);
    watch.started(core, start, machine);
    const { latest } = core.configurations;
    const { nodeId } = core.self;
    const voters = latest.config.voters.filter((voter) => voter.nodeId !== nodeId);
    const index = core.commitIndex + (isCommitted ? 0 : 1);
    core.configurations.append(index, { ...latest.config, voters, retired: [nodeId] });
    core.role = 'follower';
    watch.stepped({ type: 'tick' }, effects);
    return verdict.violation?.oracle ?? null;
  }

  const send = (type: 'timeoutNow' | 'goodbye'): RaftEffect => ({
    type: 'send',
    to: 'n2',
    message: { type, term: 1 },
  });

  test('R-69 M-48 names who shall lead, or says goodbye', async () => {
    expect(await going(true)).toBe('LIV-1');
    expect(await going(true, send('timeoutNow'))).toBeNull();
    expect(await going(true, send('goodbye'))).toBeNull();
  });

  test('R-69 owes nothing to anybody before that is committed', async () => {
    expect(await going(false)).toBeNull();
  });
});
