import { describe, expect, test } from 'vitest';
import type { ClientProgram } from '../../sim/cluster-client.ts';
import type { CommandOperation, Operation } from '../../sim/oracle/history-types.ts';
import { findMisfit } from '../../sim/oracle/linear.ts';
import { searchLinearizable } from '../../sim/oracle/search.ts';
import { overheard } from './history-cluster.ts';
import type { Overheard } from './history-cluster.ts';
import { seeds } from './scenario.ts';

function commands(operations: readonly Operation[], op: string): CommandOperation[] {
  return operations.flatMap((each) =>
    each.kind === 'command' && each.body.op === op ? [each] : [],
  );
}

/** Takes turns with the others at one lock, and looks at it. */
async function work({ client }: ClientProgram): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await client.lock('k1').do({ waitMs: 20_000 }, () => client.inspect('k1'));
    const all = await client.lockAll(['k1', 'k2']).acquire({ waitMs: 20_000 });
    await client.list();
    await all.release();
  }
}

async function workOf(run: Overheard, count: number): Promise<void> {
  const { cluster, history } = run;
  const clients = Array.from({ length: count }, (_, at) => {
    const name = `c${at + 1}`;
    return cluster.client(name, { ttlMs: 3_000 }, {}, history.tap(name));
  });
  const ends = clients.map((each) => each.run(work));
  await cluster.runFor(20);
  cluster.node(cluster.leader() ?? '').crash();
  await cluster.until('all work', () => ends.every((each) => each.isSettled));
  expect(ends.map((each) => each.value)).toEqual(ends.map(() => ({ isOk: true })));
  await cluster.runFor(2_000);
}

describe('the history of clients', () => {
  test('INV-12 pairs every answer with what was asked, over a change of leader', async () => {
    for (const seed of seeds(5)) {
      const run = await overheard({ seed });
      await workOf(run, 3);
      const { history, log } = run;
      const acquires = commands(history.operations, 'acquire');
      expect(acquires.length).toBe(18);
      expect(commands(history.operations, 'openSession')).toHaveLength(3);
      const answered = acquires.filter((each) => each.transmissions.some((sent) => sent.heard));
      expect(answered).toHaveLength(18);
      const queries = history.operations.filter((each) => each.kind === 'query');
      expect(queries.filter((each) => each.heard !== null).length).toBeGreaterThanOrEqual(18);
      expect(history.operations.some((each) => each.kind === 'keepAlive')).toBe(true);
      expect(history.news.some((each) => each.content.kind === 'granted')).toBe(true);
      expect(findMisfit(history, log)).toBeNull();
      expect(searchLinearizable(history)).toBe('linearizable');
    }
  });

  test('INV-14 one command stays one operation, however often it is sent', async () => {
    const run = await overheard({ seed: 14 });
    await workOf(run, 5);
    const resent = run.history.operations.filter(
      (each) => each.kind === 'command' && each.transmissions.length > 1,
    );
    expect(resent.length).toBeGreaterThan(0);
    expect(findMisfit(run.history, run.log)).toBeNull();
  });
});
