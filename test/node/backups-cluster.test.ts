// Backups of shipped hosts in a simulated world, as many as ask for one.

import { expect, test } from 'vitest';
import type { HostAnswer } from '../../src/node/host-types.ts';
import { createSimCluster } from '../../sim/cluster.ts';

test('two backups begin at a time, however many ask in the same moment', async () => {
  const cluster = await createSimCluster({ seed: 1 });
  const leader = await cluster.waitLeader();
  const session = await cluster.openSession(leader);
  await cluster.answers(session.acquire(leader, 'a'));
  const begin = () =>
    cluster.ask<HostAnswer>(leader, (host, done) => host.admin({ step: 'backupBegin' }, done));
  const asked = Array.from({ length: 5 }, begin);
  const answered = (await cluster.answers(...asked)).map(({ result }) => result);
  expect(answered.filter(({ kind }) => kind === 'backup')).toHaveLength(2);
  const refused = answered.filter(({ kind }) => kind === 'refused');
  expect(refused).toHaveLength(3);
  expect(refused[0]).toMatchObject({ code: 'OVERLOADED' });
});
