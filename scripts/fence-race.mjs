// Races through pauses: node scripts/fence-race.mjs --store memory --seconds 30
//
// Eight workers share four locks of a real cluster of three and are stopped, again and again, for
// longer than their lease lasts; then they write as if nothing had been. See lib/fence-race.mjs.
// --store: those for which there is a lib/fence-store-*.mjs, separated by commas.
// --mode: guarded, bare, broken, separated by commas (guarded,bare unless given). --json: one
// object for each race. Ends with 1 when a guarded race was lost, or when one without a guard, or
// with a broken one, was not.

import { parseArgs } from 'node:util';
import { MODES, fenceRaces } from './lib/fence-race.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'memory' },
    seconds: { type: 'string', default: '30' },
    mode: { type: 'string', default: 'guarded,bare' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const modes = values.mode.split(',');
if (!(seconds > 0 && seconds <= 3_600)) throw new Error('--seconds: from 1 to 3600');
const stores = values.store.split(',');
if (!stores.every((store) => /^[a-z]+$/.test(store))) throw new Error('--store: memory, …');
for (const mode of modes) {
  if (!MODES.includes(mode)) throw new Error(`--mode: ${MODES.join(', ')}`);
}

const results = await fenceRaces({ stores, modes, seconds });
for (const result of results) console.log(values.json ? JSON.stringify(result) : line(result));
process.exitCode = results.every(isRight) ? 0 : 1;

function isRight({ mode, overwrites, failed }) {
  return failed === 0 && (mode === 'guarded' ? overwrites === 0 : overwrites > 0);
}

function line({ store, mode, seconds, ...counts }) {
  const { workers, pauses, accepted, refused, failed, overwrites, failures } = counts;
  const text =
    `${store} ${mode}: ${seconds} s, ${workers} workers, ${pauses} pauses longer than the lease, ` +
    `${accepted} writes accepted, ${refused} refused as stale, ${failed} failed, ` +
    `${overwrites} of a later holder overwritten by a former one`;
  return [text, ...failures].join('\n  ');
}
