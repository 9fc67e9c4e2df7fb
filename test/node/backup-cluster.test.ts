// Backups, and releases side by side, of shipped hosts in a simulated world.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { hashOfRows } from '../../src/locks/rows.ts';
import type { HostAnswer } from '../../src/node/host-types.ts';
import { decodeSnapshotMeta, decodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import { decodeRowValue } from '../../src/wire/rows.ts';
import { SMALL, ask, cluster, lockSome } from './members-rig.ts';

describe('a backup', () => {
  test('INV-12 contains all that was acknowledged before, as one state with its sum', async () => {
    const { cluster: made, leader } = await cluster(9);
    await lockSome(made, 'a', 100);
    const begun = await ask(made, leader, { step: 'backupBegin' });
    if (begun.kind !== 'backup') throw new Error(JSON.stringify(begun));
    await lockSome(made, 'later', 50);
    const { founding, checkpoint } = decodeSnapshotMeta(begun.meta);
    const rows: { key: string; value: Uint8Array }[] = [];
    for (let isLast = false; !isLast;) {
      const after = rows.at(-1)?.key ?? '';
      const page = await ask(made, leader, { step: 'backupRows', backupId: begun.backupId, after });
      if (page.kind !== 'backupRows') throw new Error(JSON.stringify(page));
      rows.push(...decodeSnapshotRows(page.content));
      isLast = page.isLast;
    }
    const values = rows.map(({ key, value }) => ({ key, value: decodeRowValue(value) }));
    expect(hashOfRows(values)).toBe(checkpoint.rowSum);
    expect(values.filter(({ key }) => key.includes('/g/'))).toHaveLength(100);
    expect(founding.clusterId).toBe(made.status(leader).clusterId);
    const { backupId } = begun;
    expect(await ask(made, leader, { step: 'backupEnd', backupId })).toEqual({ kind: 'done' });
    expect(await ask(made, leader, { step: 'backupRows', backupId, after: '' })).toMatchObject({
      kind: 'refused',
      code: 'UNAVAILABLE',
    });
  });

  test('is refused by a node that leads no more, though it does not know', async () => {
    const { cluster: made, leader } = await cluster(10);
    const others = made.others(leader);
    for (const other of others) made.world.network.blackHole(leader, other);
    await made.waitLeader(leader);
    const pending = made.ask<HostAnswer>(leader, (host, done) =>
      host.admin({ step: 'backupBegin' }, done),
    );
    await made.until('an answer', () => pending.isSettled);
    expect(pending.value.result).toMatchObject({ kind: 'refused', code: 'NOT_LEADER' });
  });
});

describe('releases side by side', () => {
  test('J4 what one member does not apply yet is refused, until all do', async () => {
    const { cluster: made, leader } = await cluster(11, { ...SMALL, commandSet: 1 });
    const limits = { ...DEFAULT_LIMITS, ttlMsMax: 700_000 };
    const step = { step: 'setLimits', expected: DEFAULT_LIMITS, limits, by: 'test' } as const;
    const refused = await ask(made, leader, step);
    expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID' });
    expect(JSON.stringify(refused)).toContain('n1, n2, n3');
    const { cluster: next, leader: newLeader } = await cluster(12);
    expect(await ask(next, newLeader, step)).toEqual({ kind: 'done' });
    await next.converge();
    expect(present(next.living()[0], 'a node').stateHash).toBe(next.living()[1]?.stateHash);
  });
});
