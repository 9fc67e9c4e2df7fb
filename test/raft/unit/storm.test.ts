import { expect, onTestFinished, test } from 'vitest';
import { probes } from '../../../src/base/probe.ts';
import type { ProbeId } from '../../../src/base/probe.ts';
import { Storm } from './storm.ts';

const STORMS = Number(process.env['HOLDFAST_STORMS'] ?? 40);
const FIRST = Number(process.env['HOLDFAST_STORM_SEED'] ?? 1);

/** What storms with compacted logs must come to. */
const RARE: readonly ProbeId[] = [
  'snapshot-needed',
  'transfer-fails',
  'snapshot-not-needed',
  'append-below-anchor',
  'install-waits',
  'append-while-installing',
  'piece-while-installing',
  'install-overtaken-by-commit',
  'install-keeps-suffix',
  'install-drops-log',
];

for (const { voters, changesMembers, compacts } of [
  { voters: 3, changesMembers: false, compacts: false },
  { voters: 5, changesMembers: false, compacts: true },
  { voters: 3, changesMembers: true, compacts: false },
  { voters: 3, changesMembers: true, compacts: true },
]) {
  const who = changesMembers ? 'with changing members' : `with ${voters} voters`;
  const what = compacts ? `${who} and compacted logs` : who;
  test(`INV-1..INV-11, INV-12, LIV-1, LIV-4 hold in storms ${what}`, () => {
    let reads = 0;
    let committed = 0;
    const reached = new Set<ProbeId>();
    onTestFinished(probes.collect((id) => reached.add(id)));
    for (let seed = FIRST; seed < FIRST + STORMS; seed++) {
      const storm = new Storm({ seed, actions: 2000, voters, changesMembers, compacts });
      try {
        storm.rage();
        storm.calm();
      } catch (error) {
        throw new Error(`storm of seed ${seed}`, { cause: error });
      }
      reads += storm.readReadyCount;
      committed += storm.cluster.observer.committedIndex % 1_000;
    }
    // A storm in which nothing is decided shows nothing.
    expect(committed).toBeGreaterThan(5 * STORMS);
    expect(reads).toBeGreaterThan(0);
    if (compacts) expect(RARE.filter((id) => !reached.has(id))).toEqual([]);
  });
}
