// Planted bugs that 250 drawn scripts did not reach, with the tests that kill them meanwhile. What
// they need is drawn too rarely: a change of the membership, or a transfer, that is under way just
// when its leader is deposed or its log is cut.

/** By id: the end of the sentence that tells who kills it. */
export const UNREACHED: ReadonlyMap<string, string> = new Map([
  ['M-42b', 'test/raft/scenarios/snapshots-installed.test.ts M-42 kills it'],
  ['N-34', 'test/storage/checkpoint.test.ts kills it'],
  ['N-39', 'test/node/checkpoint-cluster.test.ts kills it'],
]);
