import { expect, test } from 'vitest';
import { WatchIndex } from '../../src/node/watch-index.ts';

test('a prefix is watched with the name that is nothing else', () => {
  const index = new WatchIndex<string>();
  index.add({ name: null, prefix: 'job' }, 'prefix');
  index.add({ name: null, prefix: '' }, 'all');
  index.add({ name: 'job', prefix: '' }, 'name');
  expect([...index.of('job')].sort((left, right) => (left < right ? -1 : 1))).toEqual([
    'all',
    'name',
    'prefix',
  ]);
  expect([...index.of('job/1')]).toEqual(['prefix', 'all']);
  expect([...index.of('jo')]).toEqual(['all']);
  index.delete({ name: null, prefix: 'job' }, 'prefix');
  expect([...index.of('job/1')]).toEqual(['all']);
  expect(index.size).toBe(2);
});
