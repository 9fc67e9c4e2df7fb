// Planted bugs that 250 drawn scripts did not reach, with the tests that kill them meanwhile. What
// they need is drawn too rarely: a change of the membership, or a transfer, that is under way just
// when its leader is deposed or its log is cut.

/** By id: the end of the sentence that tells who kills it. */
export const UNREACHED: ReadonlyMap<string, string> = new Map([
  ['M-42b', 'test/raft/scenarios/snapshots-installed.test.ts M-42 kills it'],
  ['M-44', 'test/raft/scenarios/membership.test.ts R-67 M-44 kills it'],
  ['M-45', 'test/raft/scenarios/membership.test.ts R-66 M-45 and the storms kill it'],
  ['M-45b', 'test/raft/scenarios/membership.test.ts R-66 M-45 kills it'],
  ['M-47', 'test/raft/scenarios/members.test.ts R-65 kills it'],
  ['M-48', 'test/raft/scenarios/removal.test.ts R-69 M-48 kills it'],
  ['N-27', 'test/raft/scenarios/membership.test.ts R-70 kills it'],
  ['N-28', 'test/raft/scenarios/joiners.test.ts R-73 kills it'],
  ['N-29', 'test/raft/scenarios/removal.test.ts R-72 kills it'],
  ['N-32', 'test/raft/scenarios/members.test.ts R-22 kills it'],
  ['N-33', 'test/storage/install.test.ts kills it'],
  ['N-34', 'test/storage/checkpoint.test.ts kills it'],
  ['N-39', 'test/node/checkpoint-cluster.test.ts kills it'],
]);
