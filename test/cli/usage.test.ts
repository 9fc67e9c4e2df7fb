import { describe, expect, test } from 'vitest';
import { cli } from './cli.ts';

const NOBODY = ['--nodes', '127.0.0.1:1'];

describe('wrong arguments', () => {
  test.each([
    [['run', 'x', 'echo', 'hi'], 'the command to run comes after "--"; got "echo" before it'],
    [['run', 'x', '--ttl', '10ms', '--', 'true'], 'expected a duration from 1s to 24h'],
    [['run', 'x', '--ttl', '25h', '--', 'true'], 'expected a duration from 1s to 24h'],
    [['acquire', 'x', '--wait', '25h'], 'expected a duration from 0s to 24h'],
    [['break', 'x', '--token', '5', '--reason', ' '], '--reason <text>'],
    [['run', 'x', '--json', '--', 'true'], "unknown option '--json'"],
  ])('%j is told with 64 before any node is asked', async (args, told) => {
    const [command = '', ...rest] = args;
    const result = await cli([command, ...NOBODY, ...rest]);
    expect(result).toMatchObject({ code: 64, stdout: '' });
    expect(result.stderr).toMatch(/^holdfast: USAGE: [^\n]*\n$/);
    expect(result.stderr).toContain(told);
  });
});
