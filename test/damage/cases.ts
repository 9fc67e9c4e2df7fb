// What can happen to a directory, and what its node must say. Each damage is done by hand to a copy
// of a directory whose whole log is known, on its own disk, to be durable.

import { rmSync } from 'node:fs';
import { slotPaths } from '../../src/server/data-directory.ts';
import type { Damage } from './damage.ts';
import { changeSlot, flip, replaceSlots, replaceStore } from './harm.ts';
import { STORE_DAMAGES } from './store-cases.ts';

const REJOIN = /Do not repair or copy.*wipe the directory.*under a new (node )?id/;
const OWN_DIRECTORY = /Start this node with its own data directory/;

/** What the operator is to do about it, by exit code. */
export const REMEDIES: Readonly<Record<number, RegExp>> = {
  80: OWN_DIRECTORY,
  82: REJOIN,
  83: REJOIN,
  84: REJOIN,
  85: REJOIN,
  86: /Start the node with the release that wrote it/,
};

/** Directories, or parts of them, in the wrong place or from another time. */
const MIXED: readonly Damage[] = [
  {
    title: 'the log store of another node',
    source: 'written',
    harm: (place, { killed }) => replaceStore(place, killed),
    exitCode: 80,
    says: /come from different directories/,
  },
  {
    title: 'the whole directory of another node',
    source: 'written',
    harm: (place, { killed }) => {
      replaceStore(place, killed);
      replaceSlots(place, killed);
    },
    exitCode: 80,
    says: /is that of node "n2", but this is node "n1"/,
  },
  {
    title: 'the directory of a cluster with another name',
    source: 'written',
    harm: () => {},
    exitCode: 80,
    says: /is one of cluster "damaged", but this cluster is "another"/,
    name: 'another',
  },
  {
    title: 'a log store put back from an older copy',
    source: 'restarted',
    harm: (place, { written }) => replaceStore(place, written),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'slot files put back from an older copy',
    source: 'restarted',
    harm: (place, { written }) => replaceSlots(place, written),
    exitCode: 82,
    says: /the log has entry \d+ of term \d+, but the current term is/,
  },
];

/** Damage to the slot files, which hold term and vote. */
const SLOTS: readonly Damage[] = [
  {
    title: 'one slot file lost',
    source: 'killed',
    harm: ({ directory }) => rmSync(slotPaths(directory)[0]),
    exitCode: 82,
    says: /its first slot is missing, its second valid/,
  },
  {
    title: 'both slot files lost',
    source: 'written',
    harm: ({ directory }) => slotPaths(directory).forEach((path) => rmSync(path)),
    exitCode: 82,
    says: /its first slot is missing, its second missing/,
  },
  {
    title: 'a flipped byte in both slot files',
    source: 'written',
    harm: ({ directory }) => slotPaths(directory).forEach((path) => flip(path, 40)),
    exitCode: 82,
    says: /its first slot is damaged.*its second damaged/,
  },
  {
    title: 'one slot file lost, a flipped byte in the other',
    source: 'killed',
    harm: ({ directory }) => {
      rmSync(slotPaths(directory)[1]);
      flip(slotPaths(directory)[0], 40);
    },
    exitCode: 82,
    says: /its first slot is damaged.*its second missing/,
  },
  {
    title: 'the mark of a failed sync in one slot file',
    source: 'written',
    harm: ({ directory }) => changeSlot(slotPaths(directory)[1], { fsyncFailed: true }),
    exitCode: 85,
    says: /A write or sync in this directory failed earlier/,
  },
  {
    title: 'a slot file of a newer format',
    source: 'written',
    harm: ({ directory }) => changeSlot(slotPaths(directory)[0], { formatVersion: 99 }),
    exitCode: 86,
    says: /has format 99; this release knows formats up to/,
  },
];

/** Every damage that must end a start. */
export const DAMAGES: readonly Damage[] = [...STORE_DAMAGES, ...MIXED, ...SLOTS];
