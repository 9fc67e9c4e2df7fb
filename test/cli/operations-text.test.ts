import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import { deadMsOf } from '../../src/cli/restore-run.ts';
import { Progress } from '../../src/cli/member-progress.ts';
import type { MembershipStep } from '../../src/client/admin.ts';
import type { MembershipView } from '../../src/wire/client-messages.ts';

describe('the death of the cluster before a restore', () => {
  const now = Date.parse('2026-11-30T04:05:00Z');

  test('is as long as it was said, or counts for nothing', () => {
    expect(deadMsOf(null, now)).toBe(0);
    expect(deadMsOf(now, now)).toBe(0);
    expect(deadMsOf(now - 86_400_000, now)).toBe(86_400_000);
  });

  test('does not lie in the future', () => {
    const ask = (): number => deadMsOf(now + 1, now);
    expect(ask).toThrow(HoldfastError);
    expect(ask).toThrow(/in the future: here it is 2026-11-30T04:05:00/);
  });
});

describe('the progress of a change', () => {
  const member = (nodeId: string, role: 'voter' | 'learner', isCaughtUp = true) => ({
    nodeId,
    storeId: nodeId,
    address: `${nodeId}:1`,
    role,
    isConnected: true,
    isCaughtUp,
    matchIndex: 1,
  });
  const view = (members: MembershipView['members'], isJoint = false): MembershipView => ({
    configIndex: 1,
    isCommitted: true,
    isJoint,
    members,
    retired: [],
  });

  test('tells each phase once', () => {
    const step: MembershipStep = {
      step: 'replace',
      nodeId: 'n1',
      by: { nodeId: 'n2', address: 'n2:1' },
      expectedIndex: null,
    };
    const lines: string[] = [];
    const progress = new Progress(step, (line) => lines.push(line));
    const old = member('n1', 'voter');
    const views = [
      view([old]),
      view([old]),
      view([old, member('n2', 'learner', false)]),
      view([old, member('n2', 'learner', false)]),
      view([old, member('n2', 'learner')]),
      view([old, member('n2', 'voter')], true),
      view([member('n2', 'voter')]),
    ];
    for (const each of views) progress.show(each);
    expect(lines).toEqual([
      'n2 is asked to join',
      'n2 is a learner now, and gets the state',
      'n2 has the whole state and keeps up',
      'the change is decided by a majority of the old and of the new voters',
    ]);
    expect(progress.done(view([member('n2', 'voter'), member('n3', 'learner')]))).toBe(
      'done: voters n2; learners n3',
    );
  });
});
