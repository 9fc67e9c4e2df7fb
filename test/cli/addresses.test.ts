import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAddresses, resolveAddresses } from '../../src/cli/addresses.ts';
import { scratchDirectory } from './scratch.ts';

function configFile(): string {
  const file = join(scratchDirectory(), 'cluster.config.json');
  const nodes = [{ id: 'n1', address: '127.0.0.1:3' }];
  writeFileSync(file, JSON.stringify({ name: 'test', nodes }));
  return file;
}

test('--nodes comes before HOLDFAST_NODES, and that before the configuration file', async () => {
  const config = configFile();
  const environment = { HOLDFAST_NODES: '127.0.0.1:2' };
  const flag = { nodes: '127.0.0.1:1', config };
  expect(await resolveAddresses(flag, environment)).toEqual(['127.0.0.1:1']);
  expect(await resolveAddresses({ config }, environment)).toEqual(['127.0.0.1:2']);
  expect(await resolveAddresses({ config }, { HOLDFAST_NODES: '' })).toEqual(['127.0.0.1:3']);
  expect(await resolveAddresses({ config }, {})).toEqual(['127.0.0.1:3']);
});

test('a list may hold spaces, IPv6 addresses and repetitions', () => {
  const list = parseAddresses('a.example:7101, [::1]:7102,a.example:7101', '--nodes');
  expect(list).toEqual(['a.example:7101', '[::1]:7102']);
});

test.each(['', 'localhost', ':7101', 'a:0', 'a:65536', 'http://a:1', 'a:1,,b:1', '::1:7101'])(
  '%j is no list of addresses, and the error says where it stood',
  (text) => {
    expect(() => parseAddresses(text, '--nodes')).toThrow('--nodes: expected host:port');
  },
);

test('more addresses than a cluster has nodes are refused', () => {
  const list = Array.from({ length: 8 }, (_, at) => `127.0.0.1:${at + 1}`).join(',');
  expect(() => parseAddresses(list, '--nodes')).toThrow('at most 7 addresses; got 8');
});
