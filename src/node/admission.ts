import { probes } from '../base/probe.ts';
import type { CommandBody } from '../wire/command.ts';
import { decodeBody } from '../wire/command.ts';
import { DecodeError } from '../wire/msgpack.ts';
import { usualOpOf } from '../wire/usual-form.ts';
import type { HostReply } from './host-types.ts';
import { refusal } from './proposals.ts';

/**
 * Largest request. 64 names with all metadata take 38 KiB. One entry must fit an Append, or no
 * follower could ever be sent what stands behind it (RAFT.md §0).
 */
const REQUEST_BYTES_MAX = 64 * 1024;
/**
 * Of all names of a request together: the slot numbers of its grant, five bytes each, fit a row of
 * 64 KiB beside the longest names and texts (RAFT.md §9).
 */
const PERMITS_MAX = 4_096;

/** What may wait until there is room on the disk again; everything else gives something back. */
const GROWTH: ReadonlySet<CommandBody['op']> = new Set([
  'openSession',
  'acquire',
  'proclaim',
] as const);

export interface AdmissionState {
  readonly isLeading: boolean;
  /** Less free disk than the reserve. */
  readonly isBelowReserve: boolean;
}

/**
 * Why a request is not even proposed, or null when it may be. Whatever is refused here has
 * certainly not happened (INV-13). What frees locks is admitted on a nearly full disk too.
 */
export function refuseRequest(body: Uint8Array, state: AdmissionState): HostReply | null {
  if (!state.isLeading) return refusal('NOT_LEADER', 'this node does not lead; nothing was done');
  const problem = problemOf(body);
  if (problem !== null) return { revision: 0, outcome: { code: 'INVALID', message: problem } };
  if (state.isBelowReserve && GROWTH.has(opOf(body))) {
    probes.reach('refused-for-full-disk');
    return refusal('OVERLOADED', 'the disk of the leader is nearly full; nothing was done');
  }
  return null;
}

/** What is wrong with a request; null: nothing. */
function problemOf(body: Uint8Array): string | null {
  if (body.length > REQUEST_BYTES_MAX) {
    return `a request may have at most ${REQUEST_BYTES_MAX} bytes; it has ${body.length}`;
  }
  if (usualOpOf(body) !== null) return null;
  try {
    return problemOfCommand(decodeBody(body));
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Of a request that nothing is wrong with. */
function opOf(body: Uint8Array): CommandBody['op'] {
  return usualOpOf(body) ?? decodeBody(body).op;
}

/**
 * What no client may ask for; everything else is for the lock machine to judge. All ops stand here,
 * so that a new one is let in or kept out by decision.
 */
function problemOfCommand(command: CommandBody): string | null {
  switch (command.op) {
    case 'expireSession':
    case 'withdraw':
    case 'liftDelay':
    case 'liftEmbargo':
    case 'setLimits':
      return `${command.op} is made by the leader only`;
    case 'acquire': {
      const taken = command.items.reduce((sum, { permits }) => sum + (permits?.[0] ?? 0), 0);
      if (taken <= PERMITS_MAX) return null;
      return `a request may take at most ${PERMITS_MAX} permits in all; it takes ${taken}`;
    }
    case 'openSession':
    case 'cancel':
    case 'release':
    case 'proclaim':
    case 'closeSession':
    case 'endSession':
    case 'break':
      return null;
  }
}
