// Stories that are known to be dangerous, with all details drawn. Loose faults at random times
// rarely meet in such a way.

import * as changes from './scenes-changes.ts';
import * as delays from './scenes-delays.ts';
import * as disks from './scenes-disks.ts';
import * as elections from './scenes-elections.ts';
import * as family from './scenes-family.ts';
import * as leases from './scenes-leases.ts';
import * as locks from './scenes-locks.ts';
import * as members from './scenes-members.ts';
import * as nodes from './scenes-nodes.ts';
import * as rare from './scenes-rare.ts';
import * as transfers from './scenes-transfers.ts';
import type { Stage } from './stage.ts';

/** Puts its faults and operations on the stage. */
export type Scene = (stage: Stage) => void;

/** All of them, and how often each. */
export const SCENES: readonly (readonly [Scene, number])[] = [
  [leases.silentHolder, 6],
  [leases.deadHolder, 1],
  [leases.expiryInDoubt, 4],
  [leases.lateOpening, 8],
  [leases.wakingLeader, 5],
  [leases.oldAnswers, 6],
  [leases.twoLeaders, 3],
  [leases.busyBeyondLimit, 2],
  [nodes.staleLeader, 3],
  [nodes.forgottenTail, 7],
  [nodes.deadlyWrites, 3],
  [nodes.successions, 3],
  [nodes.deadlyElection, 3],
  [nodes.returning, 3],
  [nodes.lostWindow, 3],
  [nodes.slowReaders, 3],
  [nodes.lateRejections, 3],
  [nodes.slowGreeting, 2],
  [disks.darkness, 2],
  [disks.forgottenVote, 7],
  [disks.forgottenEnd, 4],
  [disks.failingDisk, 4],
  [locks.lostAnswers, 2],
  [locks.restlessQueue, 3],
  [locks.waitRunsOut, 5],
  [locks.overtakenAcquire, 5],
  [locks.brokenUnseen, 3],
  [locks.sleepingWaiter, 2],
  [family.readersBehindWriter, 5],
  [family.endlessReaders, 2],
  [family.permitHerd, 3],
  [family.tangle, 3],
  [family.sharedTogether, 4],
  [delays.closedForNow, 5],
  [delays.massExpiry, 2],
  [delays.secondLife, 4],
  [delays.handedOver, 8],
  [elections.lostLeadership, 5],
  [elections.longAbsence, 5],
  [members.leftBehind, 8],
  [members.twiceBehind, 3],
  [members.dyingInstall, 4],
  [members.replacement, 6],
  [members.leaderLeaves, 4],
  [members.growth, 3],
  [members.handOver, 5],
  [members.rottenCheckpoint, 3],
  [rare.lateGrant, 3],
  [rare.unwelcomeState, 3],
  [rare.watchedDisk, 3],
  [rare.embargoEnds, 3],
  [changes.lonelyChange, 5],
  [changes.orphanedChange, 5],
  [changes.unevenHalves, 5],
  [transfers.troubledHeir, 6],
  [transfers.skippedPast, 7],
  [transfers.busyInstall, 5],
  [transfers.unheardBurst, 4],
  [transfers.slowCut, 5],
  [transfers.hangingHeir, 2],
];
