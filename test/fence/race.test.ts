// Short races through real pauses; `node scripts/fence-race.mjs --seconds 30` has the long ones.

import { expect, test } from 'vitest';
import { fenceRaces } from '../../scripts/lib/fence-race.mjs';
import { findMariadb, findPostgres, findRedis } from './services.ts';

const LIMIT = { timeout: 240_000 };
/** Those of which the server is here. */
const servers = [
  ...(findRedis() === null ? [] : ['redis']),
  ...(findPostgres() === null ? [] : ['postgres']),
  ...(findMariadb() === null ? [] : ['mariadb']),
];

test('nothing stale is written through a guard, whatever it stands on', LIMIT, async () => {
  const stores = ['memory', 'level', 'file', 'sqlite', ...servers];
  const results = await fenceRaces({ stores, seconds: 3, isJoint: true });
  expect(results.map(({ store }) => store)).toEqual(stores);
  for (const result of results) {
    expect(result).toMatchObject({ mode: 'guarded', failures: [], failed: 0, overwrites: 0 });
    expect(result.pauses).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
  }
});

test('without a comparison former holders write over later ones', LIMIT, async () => {
  const stores = ['memory', 'sqlite', ...servers];
  const results = await fenceRaces({ stores, modes: ['broken'], seconds: 3, isJoint: true });
  for (const result of results) {
    expect(result).toMatchObject({ failures: [], failed: 0, refused: 0 });
    expect(result.overwrites).toBeGreaterThan(0);
  }
});
