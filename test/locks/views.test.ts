import { describe, expect, test } from 'vitest';
import { Rig } from './rig.ts';

/** One that holds "a", and so many that wait for it. */
function queued(count: number): Rig {
  const rig = new Rig();
  rig.take(rig.open(), 'a');
  for (let at = 0; at < count; at++) rig.acquire(rig.open(), 'a');
  return rig;
}

describe('what is shown of a lock', () => {
  test('is the head of its queue, up to a limit, and how many wait in all', () => {
    const { machine } = queued(5);
    const all = machine.inspect('a');
    expect(all.waiters).toHaveLength(5);
    expect(all.waiterCount).toBe(5);
    const some = machine.inspect('a', 2);
    expect(some).toEqual({ ...all, waiters: all.waiters.slice(0, 2) });
    expect(machine.list('', '', 10, 2)).toEqual([some]);
    expect(machine.inspect('a', 0).waiters).toEqual([]);
    expect(machine.inspect('free', 2).waiterCount).toBe(0);
  });
});
