import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { configJsonSchema } from '../../src/server/config-schema.ts';
import { loadConfig, parseConfig, requireNode } from '../../src/server/config.ts';

const NODES = [
  { id: 'n1', address: '127.0.0.1:7101' },
  { id: 'n2', address: 'localhost:7102' },
  { id: 'n3', address: '[::1]:7103' },
];
const GOOD = { name: 'local', nodes: NODES };

function complaint(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error) && error.code === 'CONFIG') return error.message;
    throw error;
  }
  return 'nothing was wrong';
}

describe('a good configuration', () => {
  test('gets every default', () => {
    const config = parseConfig(GOOD);
    expect(config.heartbeatMs).toBe(50);
    expect(config.electionMs).toBe(500);
    expect(config.sessionLimits).toEqual(DEFAULT_LIMITS);
    expect(config.sizeLimits.frameBytesMax).toBe(262_144);
    expect(config.redirect).toBe(true);
    expect(config.insecure).toBe(false);
  });

  test('names its nodes', () => {
    expect(requireNode(parseConfig(GOOD), 'n2').address).toBe('localhost:7102');
    expect(complaint(() => requireNode(parseConfig(GOOD), 'n9'))).toContain(
      'expected the id of a configured node (n1, n2, n3); got "n9"',
    );
  });

  test('keeps part of a group of limits and fills in the rest', () => {
    const config = parseConfig({ ...GOOD, sessionLimits: { ttlMsMax: 900_000 } });
    expect(config.sessionLimits).toEqual({ ...DEFAULT_LIMITS, ttlMsMax: 900_000 });
  });
});

describe('a wrong configuration is refused with path, expectation and value', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['an unknown field', { ...GOOD, hartbeatMs: 50 }, 'hartbeatMs: expected no such field; got 50'],
    [
      'an unknown field deep inside',
      { ...GOOD, nodes: [{ ...NODES[0], port: 7101 }] },
      'nodes[0].port: expected no such field; got 7101, a number',
    ],
    ['no nodes', { name: 'local' }, 'nodes: expected a list of nodes; got nothing'],
    ['an empty list', { ...GOOD, nodes: [] }, 'nodes: expected 1 to 7 nodes; got an array'],
    [
      'a number as text',
      { ...GOOD, heartbeatMs: '50' },
      'heartbeatMs: expected a whole number from 5 to 5000; got "50", a string',
    ],
    [
      'a number out of range',
      { ...GOOD, sessionLimits: { ttlMsMax: 1e9 } },
      'sessionLimits.ttlMsMax: expected a whole number from 1000 to 86400000; got 1000000000',
    ],
    [
      'no address',
      { ...GOOD, nodes: [{ id: 'n1', address: '7101' }] },
      'nodes[0].address: expected an address host:port; got "7101", a string',
    ],
    [
      'the same id twice',
      { ...GOOD, nodes: [NODES[0], { ...NODES[1], id: 'n1' }] },
      'nodes[1].id: expected another id than that of nodes[0]; got "n1"',
    ],
    [
      'the same address twice',
      { ...GOOD, nodes: [NODES[0], { id: 'n2', address: '127.0.0.1:7101' }] },
      'nodes[1].address: expected another address than that of nodes[0]; got "127.0.0.1:7101"',
    ],
    [
      'an address beyond this machine',
      { ...GOOD, nodes: [{ id: 'n1', address: '10.0.0.1:7101' }] },
      'nodes[0].address: expected a loopback address, or "insecure": true, for links are not',
    ],
    [
      'an election shorter than ten heartbeats',
      { ...GOOD, heartbeatMs: 60, electionMs: 599 },
      'electionMs: expected at least 600, ten times heartbeatMs; got 599, a number',
    ],
    [
      'a checkpoint that would begin after applying has stopped for it',
      { ...GOOD, checkpoints: { dirtyRowsMax: 20_000 } },
      'checkpoints.dirtyRowsMax: expected at most pauseRowsMax (16384); got 20000',
    ],
    [
      'no object',
      [],
      '(the whole): expected an object: the content of cluster.config.json; got an',
    ],
  ];
  test.for(cases)('%s', ([, value, text]) => {
    expect(complaint(() => parseConfig(value, 'the file'))).toContain(text);
    expect(complaint(() => parseConfig(value, 'the file'))).toContain('the file:');
  });

  test('several problems are told at once', () => {
    const text = complaint(() => parseConfig({ ...GOOD, name: 7, heartbeatMs: -1, extra: true }));
    expect(text).toContain('name: expected');
    expect(text).toContain('heartbeatMs: expected');
    expect(text).toContain('extra: expected no such field');
  });

  test('"insecure" in the file or as an override allows other machines', () => {
    const open = { ...GOOD, nodes: [{ id: 'n1', address: '10.0.0.1:7101' }] };
    expect(parseConfig({ ...open, insecure: true }).insecure).toBe(true);
    expect(parseConfig(open, 'x', { insecure: true }).insecure).toBe(true);
  });
});

describe('a configuration file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-config-'));

  test('is read, and its data directory lies beside it', () => {
    const path = join(directory, 'good.json');
    writeFileSync(path, JSON.stringify(GOOD));
    expect(loadConfig(path).dataDir).toBe(join(directory, 'data'));
  });

  test('that is missing or no JSON is named', () => {
    const path = join(directory, 'bad.json');
    writeFileSync(path, '{"name": ');
    expect(complaint(() => loadConfig(path))).toContain(`${path} is not JSON`);
    expect(complaint(() => loadConfig(join(directory, 'none.json')))).toContain('cannot read');
  });

  test('of this repository is good', () => {
    expect(loadConfig('cluster.config.json').nodes.map((node) => node.id)).toEqual([
      'n1',
      'n2',
      'n3',
    ]);
  });

  test('has a JSON schema that agrees with what is checked (write it anew with vitest -u)', async () => {
    await expect(configJsonSchema()).toMatchFileSnapshot('../../cluster.config.schema.json');
  });
});
