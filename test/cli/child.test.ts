import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FORWARDED_SIGNALS, startChild } from '../../src/cli/child.ts';
import type { Child } from '../../src/cli/child.ts';
import { deathSignalPrefix } from '../../src/cli/death-signal.ts';
import { exactArgv } from '../../src/cli/exact-argv.ts';
import { processEnd, isRunning, scratchDirectory, wholeText } from './scratch.ts';

let children = 0;

async function start(argv: readonly string[], prefix: readonly string[] = []): Promise<Child> {
  const mark = `HOLDFAST_SESSION=test-${process.pid}-${children++}`;
  const child = await startChild({
    argv,
    prefix,
    environment: { ...process.env, HOLDFAST_SESSION: mark.slice('HOLDFAST_SESSION='.length) },
    mark,
    isOnTerminal: false,
  });
  onTestFinished(() => child.stop(0));
  return child;
}

function shell(script: string): Promise<Child> {
  return start(['sh', '-c', script]);
}

describe('exit codes', () => {
  test.each([0, 1, 3, 124, 255])(
    'F6 the code %i of a child is reported unchanged',
    async (code) => {
      for (const prefix of [[], await deathSignalPrefix()]) {
        const child = await start(['sh', '-c', `exit ${code}`], prefix);
        expect(await child.ended).toBe(code);
      }
    },
  );

  test('F6 a child that dies by a signal is reported as 128 and the number', async () => {
    const child = await start(['sh', '-c', 'kill -SEGV $$'], await deathSignalPrefix());
    expect(await child.ended).toBe(139);
  });

  test('F6 what cannot be executed is 127 when it is not there and 126 otherwise', async () => {
    await expect(start(['/no/such/program'])).rejects.toMatchObject({ exitCode: 127 });
    await expect(start(['/etc/passwd'])).rejects.toMatchObject({ exitCode: 126 });
  });
});

describe('arguments', () => {
  const copyArguments = 'cp "/proc/$$/cmdline" "$0"; echo >> "$0"';

  test('text that a shell would interpret arrives as it is', async () => {
    const odd = ['', ' a  b ', '$HOME', '`id`', '"\'\\', '*', '--', '-x', 'é\n', '~', ';exit 3'];
    const path = join(scratchDirectory(), 'cmdline');
    const child = await start(['sh', '-c', copyArguments, path, ...odd], await deathSignalPrefix());
    expect(await child.ended).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(
      ['sh', '-c', copyArguments, path, ...odd, '\n'].join('\0'),
    );
  });

  test('bytes that are not UTF-8 arrive as they are', async () => {
    const odd = [
      Buffer.from([0xff, 0x81, 0x88, 0x0a, 0x0a]),
      Buffer.from("it's 100%\\n\n"),
      Buffer.alloc(0),
    ];
    const path = join(scratchDirectory(), 'cmdline');
    const bytes = [...['sh', '-c', copyArguments, path].map((text) => Buffer.from(text)), ...odd];
    const argv = bytes.map((value) => value.toString('utf8'));
    const child = await start(exactArgv(argv, bytes), await deathSignalPrefix());
    expect(await child.ended).toBe(0);
    const expected = Buffer.concat(bytes.flatMap((value) => [value, Buffer.alloc(1)]));
    expect(readFileSync(path).subarray(0, -1).toString('hex')).toBe(expected.toString('hex'));
  });

  test('arguments that text can carry need no help', () => {
    const argv = ['echo', 'é', ''];
    expect(
      exactArgv(
        argv,
        argv.map((text) => Buffer.from(text)),
      ),
    ).toBe(argv);
    expect(exactArgv(argv, null)).toBe(argv);
  });
});

describe('signals', () => {
  test.each(FORWARDED_SIGNALS)('F1 F2 %s reaches the child', async (signal) => {
    const path = join(scratchDirectory(), 'ready');
    const child = await shell(`echo ready > ${path}; exec sleep 600`);
    await wholeText(path);
    child.forward(signal);
    expect(await child.ended).toBe(128 + constants.signals[signal]);
  });

  test('F1 a signal that means "end" reaches the children of a shell too', async () => {
    const path = join(scratchDirectory(), 'pid');
    const child = await shell(`sleep 600 & echo $! > ${path}; wait`);
    const grandchild = Number(await wholeText(path));
    child.forward('SIGTERM');
    expect(await child.ended).toBe(143);
    await processEnd(grandchild);
  });

  test('F2 SIGUSR1 means the program itself and leaves its children alone', async () => {
    const directory = scratchDirectory();
    const child = await shell(
      `trap 'echo got > ${directory}/got' USR1; sleep 600 & echo $! > ${directory}/pid; wait; wait`,
    );
    const grandchild = Number(await wholeText(join(directory, 'pid')));
    child.forward('SIGUSR1');
    await wholeText(join(directory, 'got'));
    expect(isRunning(grandchild)).toBe(true);
  });
});
