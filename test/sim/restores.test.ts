// Clusters that are made of backups, beside the one that the backup is of, with the shipped client
// and all oracles: those of the new cluster begin where its state begins.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import { SessionGrant } from '../../src/client/grant.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { Restored } from '../../src/client/restore.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { HostAnswer, HostSettings } from '../../src/node/host-types.ts';
import { encodeSnapshotMeta } from '../../src/wire/checkpoint.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { Settled, SimClient } from '../../sim/cluster-client.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import { FencedStore } from '../../sim/fenced-store.ts';
import { takeBackup } from '../../sim/month/backup.ts';
import type { BackupContent } from '../../sim/month/backup.ts';
import { Beliefs } from '../../sim/oracle/belief.ts';
import type { Pending } from '../../sim/pending.ts';
import { createBlankNodes, restoreBy } from '../../sim/restored-cluster.ts';
import { nowMs, take } from './client-scenario.ts';
import { always } from './scenario.ts';

const TTL_MS = 3_000;

/** A few names fill an entry that lifts an embargo, and a transfer has many pieces. */
const SETTINGS: Partial<HostSettings> = {
  limits: { ...DEFAULT_LIMITS, holdingsPerSessionMax: 4, ttlMsMax: 4_000 },
  checkpoints: {
    dirtyRowsMax: 16,
    pauseRowsMax: 32,
    intervalMs: 200,
    sliceRows: 4,
    trailingEntries: 8,
    partBytesMax: 128,
    partsInFlightMax: 4,
    hashEvery: 16,
  },
};

/** A transfer takes long. */
const SLOW = { latencies: { batch: { minUs: 20_000, maxUs: 40_000 } } };

/** Events between two moments at which something goes wrong. */
const STRIDE = 7;

interface Heir {
  readonly client: SimClient;
  readonly asked: Pending<Settled<Grant>>;
}

interface Past {
  readonly old: SimCluster;
  readonly beliefs: Beliefs;
  readonly backup: BackupContent;
  /** Holds `a` with a TTL of 3 s. */
  readonly mortal: SimClient;
  /** Holds `k` without TTL. */
  readonly keeper: SimClient;
  readonly kept: Grant;
}

/** Locks of all kinds are held, a backup is taken, and the cluster goes on for a while. */
async function past(seed: number): Promise<Past> {
  const old = await createSimCluster({ seed, settings: SETTINGS });
  const beliefs = new Beliefs({ verdict: old.verdict, isBound: true });
  old.oracle.follow(beliefs);
  await old.waitLeader();
  const mortal = old.client('mortal', { ttlMs: TTL_MS });
  const keeper = old.client('keeper', { ttlMs: null });
  const delayed = old.client('delayed', { ttlMs: TTL_MS, lockDelayMs: 8_000 });
  await believe(old, beliefs, mortal, 'a');
  const kept = await believe(old, beliefs, keeper, 'k');
  await believe(old, beliefs, delayed, 'd');
  for (let at = 0; at < 3; at++) await believe(old, beliefs, keeper, `kept/${at}`);
  const operator = old.client('operator');
  const taken = operator.run(({ openAdmin }) => takeBackup(openAdmin()));
  await old.until('the backup', () => taken.isSettled);
  // What comes after the backup is lost with the old cluster, but for its tokens.
  for (let at = 0; at < 3; at++) await believe(old, beliefs, mortal, `late/${at}`);
  return { old, beliefs, backup: valueOf(taken.value), mortal, keeper, kept };
}

async function believe(
  cluster: SimCluster,
  beliefs: Beliefs,
  client: SimClient,
  name: string,
): Promise<Grant> {
  const grant = await take(cluster, client, name);
  hold(beliefs, client, grant);
  return grant;
}

/** From now on the oracles know that this client holds it. */
function hold(beliefs: Beliefs, client: SimClient, grant: Grant): void {
  if (!(grant instanceof SessionGrant)) throw new Error('a grant of the shipped client');
  const life = present(client.handle.process.life, 'a living client');
  const session = present(grant.sessionId, 'the session of a grant');
  beliefs.begin({ client: client.name, life, session, grant });
}

async function restore(by: string, cluster: SimCluster, backup: BackupContent): Promise<Restored> {
  const asked = restoreBy(cluster.client(by), cluster, backup);
  await cluster.until('the end of the restore', () => asked.isSettled);
  return valueOf(asked.value);
}

function stop(cluster: SimCluster): void {
  for (const node of cluster.all()) node.crash();
}

/** Somebody who waits for each of these names. */
function heirsOf(cluster: SimCluster, names: readonly string[]): readonly Heir[] {
  return names.map((name) => {
    const client = cluster.client(`heir of ${name} ${cluster.world.nowUs}`, { ttlMs: TTL_MS });
    const asked = client.run((own) => own.client.lock(name).acquire({ waitMs: 60_000 }));
    return { client, asked };
  });
}

describe('a restore', () => {
  test('J2 INV-16 INV-17 nothing is granted while anybody may believe, and then by the queue', async () => {
    const { old, beliefs, backup, kept } = await past(1);
    stop(old);
    const cluster = await createBlankNodes({
      ...{ old, backup, beliefs, prefix: 'm', settings: SETTINGS, before: [old] },
    });
    const startMs = nowMs(cluster);
    const restored = await restore('restorer', cluster, backup);
    expect(restored).toMatchObject({ embargoMs: 4_040, restored: ['m1', 'm2', 'm3'] });
    await cluster.waitLeader();
    const hasty = cluster.client('hasty', { ttlMs: TTL_MS });
    const tried = hasty.run(({ client }) => client.lock('b').tryAcquire());
    const heirs = heirsOf(cluster, ['a', 'b', 'c', 'e', 'f', 'g', 'h']);
    const [kin, ghost] = heirsOf(cluster, ['k', 'd']);
    await cluster.until('all heirs', () => heirs.every(({ asked }) => asked.isSettled));
    expect(nowMs(cluster) - startMs).toBeGreaterThan(4_000);
    for (const { client, asked } of heirs) hold(beliefs, client, valueOf(asked.value));
    expect(tried.value).toMatchObject({ isOk: false, error: { code: 'UNAVAILABLE' } });
    // Grants without TTL are kept; what an expired session closed stays closed for its delay.
    expect(ghost?.asked.isSettled).toBe(false);
    await cluster.until('the end of the delay', () => ghost?.asked.isSettled === true);
    expect(nowMs(cluster) - startMs).toBeGreaterThan(8_000);
    expect([kept.held(), kin?.asked.isSettled]).toEqual([true, false]);
    beliefs.waiveGrant('k', kept.token);
    const broken = await cluster.execute(await cluster.waitLeader(), {
      ...{ op: 'break', name: 'k', session: null, token: kept.token, by: 'test', reason: 'gone' },
    });
    expect(broken.outcome.code).toBe('DONE');
    await cluster.until('the next holder', () => kin?.asked.isSettled === true);
    await cluster.converge();
  });

  test('J2 INV-16 several restores of one backup, the old cluster still running: fencing protects', async () => {
    const { old, backup } = await past(2);
    const first = await createBlankNodes({
      ...{ old, backup, beliefs: null, prefix: 'm', settings: SETTINGS, before: [old] },
    });
    const one = await restore('first restorer', first, backup);
    await old.runFor(2_000);
    const second = await createBlankNodes({
      ...{ old, backup, beliefs: null, prefix: 'o', settings: SETTINGS, before: [old, first] },
    });
    const other = await restore('second restorer', second, backup);
    expect(other.clusterId).not.toBe(one.clusterId);
    expect(other.origin).toBeGreaterThan(one.origin);
    const store = new FencedStore();
    const write = async (cluster: SimCluster): Promise<boolean> => {
      const [heir] = heirsOf(cluster, ['a']);
      await cluster.until('the heir', () => heir?.asked.isSettled === true);
      const { token } = valueOf(present(heir, 'an heir').asked.value);
      return store.offer({ name: 'a', token, by: present(heir, 'an heir').client.name });
    };
    expect(await write(first)).toBe(true);
    expect(await write(second)).toBe(true);
    const late = await old.execute(await old.waitLeader(), {
      ...{ op: 'break', name: 'a', session: null, token: 3, by: 'test', reason: 'test' },
    });
    expect(late.outcome.code).toBe('DONE');
    expect(await write(old)).toBe(false);
    for (const cluster of [old, first, second]) await cluster.converge();
  });

  test('J2 INV-18 one that is interrupted anywhere is completed by the next, as one cluster', async () => {
    const { old, backup } = await past(3);
    stop(old);
    const before = [old];
    for (let at = 0; at < 10; at++) {
      const prefix = `m${at}-`;
      const setting = { old, backup, beliefs: null, prefix, settings: SETTINGS, before };
      const cluster = await createBlankNodes(setting);
      const operator = cluster.client(`interrupted ${at}`);
      restoreBy(operator, cluster, backup);
      await run(cluster, at * STRIDE);
      operator.handle.crash();
      await cluster.runFor(at % 3 === 0 ? 0 : 1_500);
      await restore(`next ${at}`, cluster, backup);
      await expectOne(cluster, `again ${at}`, backup);
      before.push(cluster);
      stop(cluster);
    }
  });

  test('J2 a node that the restorer and a leader bring in at once is a member, and both succeed', async () => {
    const { old, backup } = await past(4);
    stop(old);
    const before = [old];
    for (let at = 0; at < 12; at++) {
      const prefix = `m${at}-`;
      const setting = { old, backup, beliefs: null, prefix, settings: SETTINGS, before };
      const cluster = await createBlankNodes({ ...setting, disk: SLOW });
      const last = cluster.node(`${prefix}3`);
      const asked = restoreBy(cluster.client(`restorer ${at}`), cluster, backup);
      const isMember = (): boolean => cluster.status(`${prefix}2`).membership !== 'none';
      await cluster.until('the second member', isMember);
      last.crash();
      await cluster.until('the end of the restore', () => asked.isSettled);
      expect(asked.value).toMatchObject({ isOk: false, error: { code: 'UNAVAILABLE' } });
      await cluster.waitLeader();
      last.start();
      await cluster.runFor(25 * at);
      await restore(`next ${at}`, cluster, backup);
      await expectOne(cluster, `again ${at}`, backup);
      before.push(cluster);
      stop(cluster);
    }
  });

  test('J2 a restorer that has given up keeps a leader from a node for ten seconds, not longer', async () => {
    const { old, backup } = await past(5);
    stop(old);
    const cluster = await createBlankNodes({
      ...{ old, backup, beliefs: null, prefix: 'm', settings: SETTINGS, before: [old] },
    });
    const last = cluster.node('m3');
    const asked = restoreBy(cluster.client('restorer'), cluster, backup);
    await cluster.until('the second member', () => cluster.status('m2').membership !== 'none');
    last.crash();
    await cluster.until('the end of the restore', () => asked.isSettled);
    await cluster.waitLeader();
    last.start();
    await cluster.until('the start of the last node', () => last.isStarted);
    const { checkpoint } = backup.meta;
    const [founding] = await cluster.answers(
      cluster.ask<HostAnswer>('m1', (host, done) => host.founding({ step: 'ask' }, done)),
    );
    const record = founding?.result.kind === 'founding' ? founding.result.record : null;
    const content = encodeSnapshotMeta({ founding: present(record, 'a record'), checkpoint });
    const piece = { step: 'restorePart', sequence: 0, isLast: false, content } as const;
    await cluster.answers(
      cluster.ask<HostAnswer>('m3', (host, done) => host.founding(piece, done)),
    );
    await always(cluster, 9_000, () => expect(cluster.status('m3').membership).toBe('none'));
    await cluster.until(
      'the leader to bring it',
      () => cluster.status('m3').membership === 'voter',
      5_000,
    );
    await expectOne(cluster, 'again', backup);
  });
});

/** Runs so many events. */
async function run(cluster: SimCluster, events: number): Promise<void> {
  let count = 0;
  await cluster.until('some events', () => count++ >= events);
}

/** All nodes are members of one cluster, in one state; a further restore finds it done. */
async function expectOne(cluster: SimCluster, by: string, backup: BackupContent): Promise<void> {
  await cluster.waitLeader();
  expect(await restore(by, cluster, backup)).toMatchObject({ restored: [] });
  await cluster.until('members', () =>
    cluster.living().every(({ membership }) => membership === 'voter'),
  );
  await cluster.converge();
  expect(new Set(cluster.living().map(({ clusterId }) => clusterId)).size).toBe(1);
  expect(new Set(cluster.living().map(({ stateHash }) => stateHash)).size).toBe(1);
}
