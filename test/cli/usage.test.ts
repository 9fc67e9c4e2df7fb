import { describe, expect, test } from 'vitest';
import { cli } from './cli.ts';
import { scratchDirectory } from './scratch.ts';

const NOBODY = ['--nodes', '127.0.0.1:1'];

describe('wrong arguments', () => {
  test.each([
    [['run', 'x', 'echo', 'hi'], 'the command to run comes after "--"; got "echo" before it'],
    [['run', 'x', '--ttl', '10ms', '--', 'true'], 'expected a duration from 1s to 24h'],
    [['run', 'x', '--ttl', '25h', '--', 'true'], 'expected a duration from 1s to 24h'],
    [['acquire', 'x', '--wait', '25h'], 'expected a duration from 0s to 24h; or none'],
    [['break', 'x', '--token', '5', '--reason', ' '], '--reason <text>'],
    [['run', 'x', '--json', '--', 'true'], "unknown option '--json'"],
  ])('%j is told with 64 before any node is asked', async (args, told) => {
    const [command = '', ...rest] = args;
    const result = await cli([command, ...NOBODY, ...rest]);
    expect(result).toMatchObject({ code: 64, stdout: '' });
    expect(result.stderr).toMatch(/^holdfast: USAGE: [^\n]*\n$/);
    expect(result.stderr).toContain(told);
  });

  test('without a command the help is shown on stderr, and nothing else', async () => {
    const { code, stdout, stderr } = await cli([]);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^Examples:\n/);
    expect(stderr).not.toContain('USAGE');
  });

  test.each([
    ['show', 'garbage'],
    ['show', '42'],
    ['end', '42-AbCdEfGhIjKlMnO', '--reason', 'x'],
    ['end', '42-AbCdEfGhIjKlMn p', '--reason', 'x'],
  ])(
    'what cannot be the id of a session is INVALID, before any node is asked: %s %s',
    async (...args) => {
      const result = await cli(['session', ...args, ...NOBODY]);
      expect(result).toMatchObject({ code: 64, stdout: '' });
      expect(result.stderr).toMatch(/^holdfast: INVALID: expected the id of a session[^\n]*\n$/);
    },
  );

  test.each([
    [['inspect', '--json'], 64, 'USAGE', "missing required argument 'name'"],
    [['inspect', '..', '--json'], 64, 'INVALID', 'no URL can carry it'],
    [['list', '--json'], 78, 'CONFIG', 'HOLDFAST_NODES'],
    [['init', '--json', '--config', 'none.json'], 78, 'CONFIG', 'none.json'],
  ])('with --json the error of %j is an object', async (args, exitCode, code, told) => {
    const { stdout, stderr, ...result } = await cli(args, { directory: scratchDirectory() });
    expect([result.code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^\{[^\n]*\}\n$/);
    const { message, ...error } = JSON.parse(stderr);
    expect(error).toEqual({ code, outcome: 'none', retryable: false, details: {} });
    expect(message).toContain(told);
  });

  test.each([
    ['run', '--', 'true'],
    ['acquire'],
    ['inspect'],
    ['break', '--token', '1', '--reason', 'x'],
  ])(
    'H1 a name that is no UTF-8 is refused by %s: Node shows two such names as one',
    async (command, ...rest) => {
      const result = await cli([command, '\ufffd\ufffe', ...NOBODY, ...rest]);
      expect(result).toMatchObject({ stdout: '' });
      expect(result.code).not.toBe(0);
      expect(result.stderr).toContain('INVALID: a name must be valid UTF-8');
    },
  );
});
