// What a node tells Prometheus: from a real cluster, over HTTP.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { connect } from '../../src/index.ts';
import { createNode, localCluster } from '../../src/node.ts';
import type { HoldfastNode } from '../../src/node.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import { until } from '../conformance/ws-world.ts';

type Samples = ReadonlyMap<string, number>;

/** `name{label="value"}` and its value, of every node together. */
async function scrape(addresses: readonly string[]): Promise<Samples> {
  const sums = new Map<string, number>();
  for (const address of addresses) {
    const response = await fetch(`http://${address}/metrics`);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/plain; version=/);
    for (const [name, value] of samplesIn(await response.text())) {
      sums.set(name, (sums.get(name) ?? 0) + value);
    }
  }
  return sums;
}

function samplesIn(text: string): Iterable<readonly [string, number]> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at + 1))] as const;
  });
}

describe('a cluster that works', () => {
  test('counts each grant once, whoever leads, and how each one ended', async () => {
    await using cluster = await localCluster({ nodes: 3 });
    await using client = await connect({ nodes: cluster.addresses, ttlMs: 2_000 });
    await using other = await connect({ nodes: cluster.addresses });
    const first = await client.lock('a').acquire();
    const busy = other.lock('a').acquire({ waitMs: 1 });
    await expect(busy).rejects.toMatchObject({ code: 'WAIT_OVER' });
    await first.release();
    const second = await client.lock('a').acquire();
    await other.break('a', { token: second.token, reason: 'for a test' });
    await until('the break is told', () => second.signal.aborted);
    const renewals = async (): Promise<number> =>
      (await scrape(cluster.addresses)).get('holdfast_keepalives_total{code="OK"}') ?? 0;
    await expect.poll(renewals).toBeGreaterThan(0);

    const now = await scrape(cluster.addresses);
    expect(now.get('holdfast_is_leader')).toBe(1);
    expect(now.get('holdfast_is_ready')).toBe(3);
    expect(now.get('holdfast_grants_total')).toBe(2);
    expect(now.get('holdfast_grants_ended_total{cause="released"}')).toBe(1);
    expect(now.get('holdfast_grants_ended_total{cause="broken"}')).toBe(1);
    expect(now.get('holdfast_hold_seconds_count')).toBe(2);
    expect(now.get('holdfast_waits_total')).toBe(1);
    const givenUp = [...now].filter(([name]) => name.startsWith('holdfast_waits_given_up_total'));
    expect(givenUp.map(([, value]) => value)).toEqual([1]);
    expect(now.get('holdfast_sessions')).toBe(2 * 3);
    expect(now.get('holdfast_sessions_opened_total')).toBe(2);
    expect(now.get('holdfast_outcomes_total{code="GRANTED"}')).toBe(2);
    expect(now.get('holdfast_elections_won_total')).toBe(1);
    expect(now.get('holdfast_links{door="client"}')).toBe(6);
    expect(now.get('holdfast_peer_connected{peer="n1"}')).toBe(2);
    expect(now.get('holdfast_storage_batch_seconds_count')).toBeGreaterThan(0);
    expect(now.get('holdfast_appended_entries_total')).toBeGreaterThan(2 * 3);
  });

  test('tells exactly what docs/metrics.md lists', async () => {
    await using cluster = await localCluster({ nodes: 1 });
    const response = await fetch(`http://${cluster.addresses[0] ?? ''}/metrics`);
    const told = [...(await response.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const document = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = /^\| `(holdfast_\w+)`[^|]*\| (gauge|counter|histogram) /gm;
    const listed = [...document.matchAll(rows)];
    const text = (found: readonly RegExpMatchArray[]): readonly string[] =>
      found.map(([, name, kind]) => `${name} ${kind}`).toSorted(byText);
    expect(text(listed)).toEqual(text(told));
  });
});

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

describe('the registry of a program', () => {
  let root = '';
  const nodes: HoldfastNode[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-metrics-'));
  });

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    rmSync(root, { recursive: true });
  });

  async function create(dataDir: string, registry: Registry): Promise<HoldfastNode> {
    const [address = ''] = await freeAddresses(1);
    const config = {
      name: 'metrics',
      nodes: [{ id: 'n1', address }],
      dataDir: join(root, dataDir),
    };
    const node = createNode({ config, id: 'n1', registry });
    nodes.push(node);
    return node;
  }

  test('shows a node while it runs, after a restart too', async () => {
    const registry = new Registry();
    const node = await create('one', registry);
    for (let life = 1; life <= 2; life++) {
      expect(registry.getMetricsAsArray()).toEqual([]);
      await node.start();
      expect(await registry.metrics()).toMatch(/^holdfast_is_ready 0$/m);
      await node.stop();
    }
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  test('shows one node only: another one does not start, and changes nothing', async () => {
    const registry = new Registry();
    const first = await create('one', registry);
    const second = await create('two', registry);
    await first.start();
    await expect(second.start()).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('registry: it must take the metrics of one node'),
    });
    expect(await registry.metrics()).toMatch(/^holdfast_is_ready 0$/m);
    await first.stop();
    await second.start();
    expect(await registry.metrics()).toMatch(/^holdfast_term 0$/m);
  });

  test('has nothing of the process in it, nor has /metrics', async () => {
    const registry = new Registry();
    const node = await create('one', registry);
    await node.start();
    expect(await registry.metrics()).not.toMatch(/^(process|nodejs)_/m);
  });
});
