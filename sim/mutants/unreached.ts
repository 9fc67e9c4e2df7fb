// Planted bugs that a thousand drawn scripts did not reach, with the tests that kill them
// meanwhile.

/** By id: the end of the sentence that tells who kills it. */
export const UNREACHED: ReadonlyMap<string, string> = new Map([
  [
    'N-44',
    'test/storage/checkpoint-crash.test.ts kills it, and so does the script ' +
      'sim/corpus/checkpoint-of-an-entry-not-yet-replaced.json',
  ],
  [
    'N-45',
    'test/raft/scenarios/members.test.ts kills it, and so does the script ' +
      'sim/corpus/learner-ahead-of-its-promotion.json',
  ],
  [
    'N-46',
    'test/node/snapshot-pieces.test.ts kills it, and so does the script ' +
      'sim/corpus/leader-lost-rows-it-must-send.json',
  ],
]);
