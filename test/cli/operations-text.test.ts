import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import { embargoOf } from '../../src/cli/restore.ts';
import { Progress } from '../../src/cli/member-progress.ts';
import type { MembershipStep } from '../../src/client/admin.ts';
import type { MembershipView } from '../../src/wire/client-messages.ts';

describe('the embargo of a restore', () => {
  const now = Date.parse('2026-11-30T04:05:00Z');

  test('is the highest TTL with the drift of clocks, less the time of death', () => {
    expect(embargoOf(600_000, null, now)).toBe(606_000);
    expect(embargoOf(600_000, now, now)).toBe(606_000);
    expect(embargoOf(600_000, now - 600_000, now)).toBe(6_000);
    expect(embargoOf(600_000, now - 606_000, now)).toBe(0);
    expect(embargoOf(600_000, now - 86_400_000, now)).toBe(0);
    expect(embargoOf(1_001, null, now)).toBe(1_012);
  });

  test('is not made of a death in the future', () => {
    const ask = (): number => embargoOf(600_000, now + 1, now);
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
