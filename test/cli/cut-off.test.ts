// Holders that vanish in the ways that networks and machines have: cut off, or dead with the node.

import { afterAll, expect, test, vi } from 'vitest';
import { Cli, endAll, startUp } from './cli.ts';
import { scratchDirectory } from './scratch.ts';
import { startSilentProxy } from './silent-proxy.ts';

const WAIT = { timeout: 30_000, interval: 20 } as const;

afterAll(endAll);

/** Says whether a process runs, as one that holds the lock now sees it. */
function lookAt(pid: string): string {
  const state = `cut -d ' ' -f 3 /proc/${pid}/stat 2>/dev/null`;
  return `case "$(${state})" in ''|Z|X) echo gone;; *) echo alive;; esac`;
}

test.each([
  [
    'ends when it is told',
    "trap 'echo told; exit 0' TERM; echo pid $$; while :; do sleep 0.02; done",
  ],
  ['is deaf', "trap 'echo told' TERM; echo pid $$; while :; do sleep 0.02; done"],
])('B4 all packets dropped: a child that %s is gone before another holds', async (_, script) => {
  const cluster = await startUp(scratchDirectory(), 1);
  const network = await startSilentProxy(cluster.nodes);
  const options = ['job', '--ttl', '5s', '--kill-after', '1s', '--nodes', network.address];
  const run = new Cli(['run', ...options, '--', 'sh', '-c', script]);
  const pid = (await run.line(/^pid /)).slice('pid '.length);
  network.goSilent();
  const next = cluster.start('run', 'job', '--', 'sh', '-c', lookAt(pid));
  await run.line(/^told$/);
  expect(await run.ended).toMatchObject({ code: 79 });
  expect(await next.ended).toMatchObject({ code: 0, stdout: 'gone\n' });
  await cluster.stop();
});

test('C14 client and leader killed at once, both back: freed after the TTL, seen until then', async () => {
  const cluster = await startUp(scratchDirectory(), 3);
  const holder = cluster.start('acquire', 'dead', '--ttl', '6s', '--json');
  const { token, session } = JSON.parse(await holder.line(/^\{/));
  const { leader, nodes } = JSON.parse((await cluster.cli('status', '--json')).stdout);
  const leading = nodes.find(({ id }: { id: string }) => id === leader);
  process.kill(leading.pid, 'SIGKILL');
  holder.signal('SIGKILL');
  await holder.ended;
  const back = new Cli([
    'node',
    '--id',
    leader,
    '--config',
    cluster.configFile,
    '--data',
    cluster.root,
  ]);

  const others: string[] = nodes
    .map(({ address }: { address: string }) => address)
    .filter((address: string) => address !== leading.address);
  const seen = await vi.waitUntil(() => lookOver(others, 'dead'), WAIT);
  expect(seen).toMatchObject({ holder: { token, session, sessionMeta: { pid: holder.pid } } });
  expect(Object(seen)['holder'].leaseLeftMs).toBeGreaterThan(0);

  const again = cluster.start('acquire', 'dead', '--wait', '1m', '--json');
  const next = JSON.parse(await again.line(/^\{/));
  expect(next.token).toBeGreaterThan(token);
  const gone = await cluster.cli('session', 'show', session);
  expect(gone.code).toBe(1);
  again.signal('SIGTERM');
  expect((await again.ended).code).toBe(0);
  back.signal('SIGTERM');
  expect((await back.ended).code).toBe(0);
  await cluster.stop();
});

/** The lock as the first node that leads tells; null while none does. */
async function lookOver(addresses: readonly string[], name: string): Promise<unknown> {
  for (const address of addresses) {
    const answer = await fetch(`http://${address}/v1/locks/${name}`, { redirect: 'manual' });
    if (answer.status === 200) return answer.json();
  }
  return null;
}
