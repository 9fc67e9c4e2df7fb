import { expect, test } from 'vitest';
import { Storm } from './storm.ts';

const STORMS = Number(process.env['HOLDFAST_STORMS'] ?? 40);
const FIRST = Number(process.env['HOLDFAST_STORM_SEED'] ?? 1);

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
  });
}
