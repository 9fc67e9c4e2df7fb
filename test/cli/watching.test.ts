// holdfast watch, session and elect against a cluster of real processes.

import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENTRY, endAll, startUp } from './cli.ts';
import type { UpCluster } from './cli.ts';
import { isRunning, suiteDirectory } from './scratch.ts';

let cluster: UpCluster;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory(), 1);
});
afterAll(async () => {
  await cluster.stop();
  await endAll();
});

async function jsonOf(...args: string[]) {
  return JSON.parse((await cluster.cli(...args, '--json')).stdout);
}

describe('holdfast watch', () => {
  test('prints one line for each event of a prefix, and ends with 0 by Ctrl-C', async () => {
    const watch = cluster.start('watch', 'w/');
    await watch.line(/^holdfast: watching from revision \d+$/);
    await cluster.cli('run', 'x/other', '--', 'true');
    await cluster.cli('run', 'w/a', '--', 'true');
    const line = await watch.line(/ released /);
    const released = /^\d+ released {3}"w\/a" token (\d+), session (\d+-[\w-]{16})$/.exec(line);
    const [, token = '', session = ''] = released ?? [];
    const granted = `${token} granted    "w/a" token ${token}, session ${session}\n`;
    watch.signal('SIGINT');
    const { code, stdout } = await watch.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${granted}${line}\n` });
  });

  test('K2 prints JSON in the words of the HTTP interface, of one name, from a revision', async () => {
    const { revision } = await jsonOf('inspect', 'j');
    await cluster.cli('run', 'j', 'k', '--', 'true');
    const watch = cluster.start('watch', '--name', 'j', '--after', String(revision), '--json');
    await watch.line(/"released"/);
    watch.signal('SIGTERM');
    const { code, stdout } = await watch.ended;
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { token, session } = events[0];
    const common = { name: 'j', token, session, acquireSeq: 1 };
    expect({ code, events }).toEqual({
      code: 0,
      events: [
        { ...common, type: 'granted', revision: token },
        { ...common, type: 'released', cause: 'released', revision: expect.any(Number) },
      ],
    });
  });

  test('says that there is a gap', async () => {
    const watch = cluster.start('watch', '--after', '1');
    const line = await watch.line(/ gap /);
    expect(line).toMatch(/^\d+ gap {8}the events after 1 are not known any more$/);
    watch.signal('SIGINT');
    expect((await watch.ended).code).toBe(0);
  });

  test('ends when nobody reads what it says any more', async () => {
    const child = spawn(process.execPath, [ENTRY, 'watch', 'closed/'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOLDFAST_NODES: cluster.nodes },
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.stdout.destroy();
    await cluster.cli('run', 'closed/a', '--', 'true');
    expect(await ended).toBe(0);
  });
});

describe('holdfast session', () => {
  test('lists sessions, shows what one holds, and ends it with a reason', async () => {
    const holder = cluster.start('acquire', 'o/a', 'o/b', '--permits', '2/3', '--json');
    const { session, token } = JSON.parse(await holder.line(/^\{/));
    const listed = (await cluster.cli('session', 'list')).stdout;
    expect(listed).toMatch(/^SESSION +NAME +TTL +OPENED +HELD-UNITS +WAITING-UNITS\n/);
    expect(listed).toMatch(new RegExp(`^${session} .* 15s +20.*Z +4 +0$`, 'm'));
    const rows = (await cluster.cli('session', 'list', '--json')).stdout.trim().split('\n');
    const sessions = rows.map((row) => JSON.parse(row));
    expect(sessions).toContainEqual(expect.objectContaining({ session, held: 4, ttlMs: 15_000 }));

    const shown = (await cluster.cli('session', 'show', session)).stdout;
    expect(shown).toContain(`session ${session}\n`);
    expect(shown).toMatch(/ {2}expires {2}in \d+\.\ds unless it is renewed\n/);
    expect(shown).toContain(`  pid      ${holder.pid}\n`);
    expect(shown).toContain(`  holds    "o/a" slots 0, 1, "o/b" slots 0, 1, token ${token}\n`);
    expect(await jsonOf('session', 'show', session)).toMatchObject({
      session,
      meta: { pid: holder.pid },
      holdings: [
        {
          names: ['o/a', 'o/b'],
          token,
          slots: [
            [0, 1],
            [0, 1],
          ],
        },
      ],
    });

    const ended = await cluster.cli('session', 'end', session, '--reason', 'host is gone');
    expect(ended).toMatchObject({ code: 0, stdout: `ended session ${session}\n` });
    const { code, stderr } = await holder.ended;
    expect(code).toBe(79);
    expect(stderr).toContain('host is gone');
    expect((await jsonOf('inspect', 'o/b')).holder).toBe(null);
    for (const command of [['show'], ['end', '--reason', 'again']]) {
      const [verb = '', ...rest] = command;
      const gone = await cluster.cli('session', verb, session, ...rest);
      expect(gone).toMatchObject({ code: 1, stdout: '' });
      expect(gone.stderr).toContain(`SESSION_GONE: there is no session "${session}"`);
    }
  });
});

describe('holdfast elect', () => {
  test('runs the command while leading; observers see each leader and vacancy', async () => {
    const observer = cluster.start('elect', 'boss', '--observe');
    await observer.line(/^vacant$/);
    const script = 'echo "pid $$ $HOLDFAST_LOCK $HOLDFAST_FENCING_TOKEN"; exec sleep 600';
    const elect = (value: string) =>
      cluster.start('elect', 'boss', '--value', value, '--', 'sh', '-c', script);
    const first = elect('one');
    const [, pid = '', name = '', token = ''] = (await first.line(/^pid /)).split(' ');
    expect(name).toBe('boss');
    const leads = await observer.line(/^leader "one"/);
    expect(leads).toMatch(new RegExp(`^leader "one", token ${token}, session \\d+-`));
    const second = elect('two');
    await expect.poll(async () => (await jsonOf('inspect', 'boss')).waiterCount).toBe(1);
    first.signal('SIGTERM');
    expect((await first.ended).code).toBe(143);
    expect(isRunning(Number(pid))).toBe(false);
    await observer.line(/^leader "two"/);
    second.signal('SIGTERM');
    await second.ended;
    await expect.poll(() => observer.stdout.trim().split('\n').at(-1)).toBe('vacant');
    observer.signal('SIGINT');
    expect((await observer.ended).code).toBe(0);
  });

  test('observers get JSON when they ask for it', async () => {
    const observer = cluster.start('elect', 'none', '--observe', '--json');
    const view = JSON.parse(await observer.line(/^\{/));
    expect(view).toEqual({ leader: null, revision: expect.any(Number) });
    observer.signal('SIGTERM');
    expect((await observer.ended).code).toBe(0);
  });
});
