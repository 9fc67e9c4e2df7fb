import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startChild } from '../../src/cli/child.ts';
import type { Child } from '../../src/cli/child.ts';
import { isRunning, processEnd, scratchDirectory, wholeText } from './scratch.ts';

const NEVER_MS = 3_600_000;
let children = 0;

async function shell(script: string, isOnTerminal = false): Promise<Child> {
  const session = `stop-${process.pid}-${children++}`;
  const child = await startChild({
    argv: ['sh', '-c', script],
    prefix: [],
    environment: { ...process.env, HOLDFAST_SESSION: session },
    mark: `HOLDFAST_SESSION=${session}`,
    isOnTerminal,
  });
  onTestFinished(() => child.stop(0));
  return child;
}

async function startedPids(path: string): Promise<number[]> {
  return (await wholeText(path)).trim().split(' ').map(Number);
}

describe.each([false, true])('a child that shares our terminal: %s', (isOnTerminal) => {
  test('F1 stopping ends the child and its descendants by SIGTERM', async () => {
    const path = join(scratchDirectory(), 'pids');
    const child = await shell(
      `sh -c 'sleep 600 & wait' & sleep 601 & echo $! > ${path}; wait`,
      isOnTerminal,
    );
    const [grandchild = 0] = await startedPids(path);
    await child.stop(NEVER_MS);
    expect(await child.ended).toBe(143);
    expect(isRunning(grandchild)).toBe(false);
  });

  test('B4 what ignores SIGTERM is ended by SIGKILL', async () => {
    const path = join(scratchDirectory(), 'pids');
    const script = `trap '' TERM; sleep 600 & echo $! > ${path}; while :; do wait; done`;
    const child = await shell(script, isOnTerminal);
    const [grandchild = 0] = await startedPids(path);
    await child.stop(1);
    expect(await child.ended).toBe(137);
    expect(isRunning(grandchild)).toBe(false);
  });

  test('F1 what a child left running is found after its end', async () => {
    const path = join(scratchDirectory(), 'pids');
    const child = await shell(`sleep 600 & echo $! > ${path}; exit 3`, isOnTerminal);
    const [grandchild = 0] = await startedPids(path);
    expect(await child.ended).toBe(3);
    expect(isRunning(grandchild)).toBe(true);
    await child.stop(NEVER_MS);
    expect(isRunning(grandchild)).toBe(false);
  });

  test('B4 a child that is stopped by SIGSTOP ends by SIGTERM all the same', async () => {
    const path = join(scratchDirectory(), 'pids');
    const child = await shell(`echo $$ > ${path}; kill -STOP $$; exec sleep 600`, isOnTerminal);
    await startedPids(path);
    await child.stop(NEVER_MS);
    expect(await child.ended).toBe(143);
  });
});

test('F1 a neighbour that lacks the mark is left alone', async () => {
  const neighbour = await shell('exec sleep 600', true);
  const child = await shell('exec sleep 600', true);
  await child.stop(NEVER_MS);
  expect(isRunning(neighbour.pid)).toBe(true);
  await neighbour.stop(0);
  await processEnd(neighbour.pid);
});
