// On a terminal the child shares ours: util-linux' `script` gives the program one, and takes what
// would be typed from its own stdin.

import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ENTRY, endAll, startUp } from './cli.ts';
import type { UpCluster } from './cli.ts';
import { isRunning, suiteDirectory } from './scratch.ts';

const CTRL_C = '\u0003';
let cluster: UpCluster;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory(), 1);
});
afterAll(async () => {
  await cluster.stop();
  await endAll();
});

class Terminal {
  screen = '';
  readonly ended: Promise<number | null>;
  private readonly child;

  constructor(name: string, script: string) {
    const command = `exec ${process.execPath} ${ENTRY} run ${name} -- sh -c '${script}'`;
    this.child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: { ...process.env, HOLDFAST_NODES: cluster.nodes, SHELL: '/bin/sh' },
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  type(text: string): void {
    this.child.stdin.write(text);
  }

  async shows(pattern: RegExp): Promise<string> {
    const shown = await vi.waitUntil(() => pattern.exec(this.screen), { timeout: 20_000 });
    return shown[1] ?? shown[0];
  }
}

describe('on a terminal', () => {
  test('a command reads what is typed', async () => {
    const terminal = new Terminal('t/1', 'printf "name? "; read name; echo "hello $name"');
    await terminal.shows(/name\? /);
    terminal.type('world\n');
    await terminal.shows(/hello world/);
    expect(await terminal.ended).toBe(0);
  });

  test('F1 Ctrl-C reaches the command once, and its exit code comes back', async () => {
    const loop = 'until [ $n = 1 ]; do sleep 0.02; done; read again; exit 5';
    const terminal = new Terminal('t/2', `n=0; trap "n=1; echo got-it" INT; echo ready; ${loop}`);
    await terminal.shows(/ready/);
    terminal.type(CTRL_C);
    await terminal.shows(/got-it/);
    terminal.type('\n');
    expect(await terminal.ended).toBe(5);
    expect(terminal.screen.match(/got-it/g)).toHaveLength(1);
  });

  test('F1 a command that Ctrl-C ends leaves nothing behind', async () => {
    const terminal = new Terminal('t/3', 'sleep 600 & echo pid $!; wait');
    const pid = Number(await terminal.shows(/pid (\d+)/));
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(isRunning(pid)).toBe(false);
  });
});
