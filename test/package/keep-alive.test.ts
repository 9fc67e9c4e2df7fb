// Renewals of a process whose event loop is blocked: the package as it was built, in real
// processes, with a real cluster.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';

const PACKAGE = fileURLToPath(new URL('../../dist/src/index.js', import.meta.url));
const TTL_MS = 2_000;
const BUSY_MS = 5_000;
const WAIT = { timeout: 40_000, interval: 10 } as const;

interface Seen {
  readonly event: 'held' | 'seen' | 'closed';
  readonly isAborted?: boolean;
  readonly isHeld?: boolean;
  readonly code?: string;
  readonly details?: Readonly<Record<string, number>>;
}

interface Program {
  readonly seen: readonly Seen[];
  readonly output: () => string;
  readonly ended: Promise<number | null>;
  /** It may end when it has said what it saw. */
  readonly letGo: () => void;
  readonly kill: () => void;
}

let cluster: LocalCluster;
beforeAll(async () => void (cluster = await localCluster({ nodes: 1 })));
afterAll(() => cluster.stop());

function start(file: string, words: readonly string[]): Program {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const nodes = cluster.addresses.join(',');
  const child = spawn(process.execPath, [program, PACKAGE, nodes, ...words]);
  let text = '';
  child.stdout.on('data', (part: Buffer) => (text += part.toString('utf8')));
  child.stderr.on('data', (part: Buffer) => (text += part.toString('utf8')));
  return {
    get seen() {
      const lines = text.split('\n').filter((line) => line.startsWith('{'));
      return lines.map((line): Seen => JSON.parse(line));
    },
    output: () => text,
    letGo: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

function hold(keepAlive: string, maxHoldMs: number, busyMs = BUSY_MS): Program {
  return start('busy-holder.mjs', [keepAlive, String(busyMs), String(maxHoldMs)]);
}

async function until(program: Program, event: Seen['event']): Promise<Seen> {
  const isThere = (): Seen | undefined => program.seen.find((seen) => seen.event === event);
  return vi.waitUntil(isThere, WAIT).catch(() => {
    throw new Error(`no "${event}": ${program.output()}`);
  });
}

describe('B9 the event loop is blocked for longer than the TTL', () => {
  test('loop: the first thing seen afterwards is an aborted signal that says for how long', async () => {
    const program = hold('loop', 60_000);
    await using rival = await connect({ nodes: cluster.addresses });
    await until(program, 'held');
    const granted = rival.lock('a').acquire({ waitMs: 60_000 });
    const seen = await until(program, 'seen');
    expect(seen).toMatchObject({ isAborted: true, isHeld: false, code: 'EVENT_LOOP_BLOCKED' });
    expect(seen.details?.['blockedMs']).toBeGreaterThan(BUSY_MS - TTL_MS);
    program.letGo();
    expect(await program.ended).toBe(0);
    await (await granted).release();
  });

  test('worker: the lock is held throughout, and nobody else gets it', async () => {
    const program = hold('worker', 60_000);
    await using rival = await connect({ nodes: cluster.addresses });
    await until(program, 'held');
    let isGranted = false;
    const waiting = rival.lock('a').acquire({ waitMs: 60_000 });
    void waiting.then(() => (isGranted = true));
    const seen = await until(program, 'seen');
    expect([seen, isGranted]).toMatchObject([{ isAborted: false, isHeld: true }, false]);
    program.letGo();
    expect(await program.ended).toBe(0);
    await (await waiting).release();
  });

  test('worker: a loop that does not end gives the lock away after maxHoldMs and the TTL', async () => {
    const program = hold('worker', 500, 60_000);
    await using rival = await connect({ nodes: cluster.addresses });
    await until(program, 'held');
    const grant = await rival.lock('a').acquire({ waitMs: 60_000 });
    expect(grant.held()).toBe(true);
    expect(program.seen.map(({ event }) => event)).toEqual(['held']);
    program.kill();
    await program.ended;
    await grant.release();
  });
});

test('F9 a CommonJS program that renews from a thread ends when it has closed', async () => {
  const program = start('requiring-holder.cjs', []);
  expect([await program.ended, program.output()]).toEqual([0, 'true\n']);
});
