// Planted bugs that the rest of the program hides: another guard stands before the one that is
// gone. They can be hunted by their id, and are not found.

/** By id: which guard, and who kills the bug. */
export const SHADOWED: ReadonlyMap<string, string> = new Map([
  [
    'M-45b',
    'clients ask ready leaders only, and the desk of a leader waits until it is ready; ' +
      'test/raft/scenarios/membership.test.ts R-66 M-45 kills it',
  ],
  [
    'N-28',
    'the desk asks for a promotion only when the learner has caught up; ' +
      'test/raft/scenarios/joiners.test.ts R-73 kills it',
  ],
  [
    'N-29',
    'the door turns only those away whose names are retired, which are never given again; ' +
      'test/raft/scenarios/removal.test.ts R-72 kills it',
  ],
  [
    'N-32',
    'whoever is asked has the whole log of a leader that takes it for a voter, and so may; ' +
      'test/raft/scenarios/members.test.ts R-22 kills it',
  ],
  [
    'N-33',
    'the floor is raised to committed entries only, so an install that is not above it agrees ' +
      'with the log and keeps it; test/storage/install.test.ts kills it',
  ],
]);
