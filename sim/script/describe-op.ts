import { limitsAsked } from './cluster-options.ts';
import { nameOf, spanOf } from './describe-names.ts';
import {
  electionName,
  lockName,
  nameByArg,
  newcomerName,
  permitsAsked,
  semaphoreName,
  semaphoreTotal,
} from './names.ts';
import { WAIT_ARG_MIN } from './ranges.ts';
import type { Op, OpKind, Script } from './types.ts';

/** What the operations are told with. */
interface Words {
  readonly op: Op;
  /** The lock of the key, and the one after it. */
  readonly what: string;
  readonly next: string;
  /** What is looked at, or broken. */
  readonly seen: string;
  readonly election: string;
  /** Some permits of the semaphore, of how many it asks for. */
  readonly permits: string;
  /** The client after the one that acts. */
  readonly heir: string;
  /** How long it waits at most, if that is said, and what it does then. */
  readonly thenHolds: string;
  readonly hold: string;
  /** Who leaves the cluster, and who comes. */
  readonly member: string;
  readonly newcomer: string;
  readonly span: string;
}

/** What a client does, as a clause. */
export function describeOp({ shape }: Script, op: Op): string {
  const { client, key, kind, holdMs, arg } = op;
  const { clients, keys } = shape;
  const semaphore = semaphoreName(key, keys);
  const [permits, total] = permitsAsked(op.id, semaphoreTotal(key, keys));
  const span = spanOf(holdMs);
  const hold = `and holds it for ${span}`;
  const wait = arg < WAIT_ARG_MIN ? '' : `, for ${spanOf(arg)} at most,`;
  const deed = DEEDS[kind]({
    op,
    what: lockName(key, keys),
    next: lockName(key + 1, keys),
    seen: nameByArg(op, keys),
    election: electionName(key, keys),
    permits: `${permits} of the ${total} permits of ${semaphore}`,
    heir: nameOf('c', client + 1, clients),
    thenHolds: `${wait} ${hold}`,
    hold,
    member: arg % 4 === 0 ? 'the leader' : `member ${key}`,
    newcomer: newcomerName(op.id),
    span,
  });
  return `${nameOf('c', client, clients)} ${deed}`;
}

const DEEDS: Readonly<Record<OpKind, (words: Words) => string>> = {
  acquire: ({ what, thenHolds }) => `asks for ${what}${thenHolds}`,
  tryAcquire: ({ what, hold }) => `tries to get ${what} ${hold}`,
  acquireShared: ({ what, thenHolds }) => `asks to share ${what}${thenHolds}`,
  acquirePermits: ({ permits, thenHolds }) => `asks for ${permits}${thenHolds}`,
  acquireAll: ({ what, next, thenHolds }) => `asks for ${what} and ${next} at once${thenHolds}`,
  acquireMixed: ({ what, permits, next, thenHolds }) =>
    `asks for ${what}, ${permits} and to share ${next} at once${thenHolds}`,
  acquireBriefly: ({ what, thenHolds }) => `asks for ${what}${thenHolds}, half of it at most`,
  campaign: ({ election, thenHolds }) => `campaigns in ${election}${thenHolds}`,
  proclaim: ({ op }) => `proclaims another value as leader ${op.arg}`,
  reenter: ({ op, hold }) => `enters hold ${op.arg} once more ${hold}`,
  handOver: ({ op, heir, hold }) => `hands hold ${op.arg} over to ${heir}, who goes on ${hold}`,
  release: ({ op }) => `releases hold ${op.arg} early`,
  cancel: ({ op }) => `gives up wait ${op.arg}`,
  inspect: ({ seen }) => `looks at ${seen}`,
  list: () => `lists all locks`,
  observe: ({ election, span }) => `observes ${election} for ${span}`,
  watchName: ({ what, span }) => `watches ${what} for ${span}`,
  watchPrefix: ({ span }) => `watches many locks for ${span}`,
  break: ({ seen }) => `breaks ${seen} by force`,
  endSession: ({ heir }) => `ends the session of ${heir}`,
  close: () => `closes its client and begins anew`,
  drain: ({ span }) => `closes its client when its holders are done, or after ${span}`,
  addMember: ({ op, newcomer }) =>
    `adds ${newcomer} to the cluster${op.arg % 2 === 1 ? ' as a voter' : ''}`,
  promoteMember: ({ op }) => `makes learner ${op.key} a voter`,
  removeMember: ({ op, member }) =>
    `removes ${member} from the cluster${op.arg % 2 === 1 ? ', and lets it run on' : ''}`,
  replaceMember: ({ member, newcomer }) => `replaces ${member} by ${newcomer}`,
  transferLeadership: ({ op }) =>
    `has ${op.arg % 2 === 0 ? 'the best of the others' : `member ${op.key}`} lead`,
  backup: () => `takes a backup`,
  setLimits: ({ op }) => {
    const { holdingsPerSessionMax, windowMax } = limitsAsked(op.arg);
    return `sets limits: ${holdingsPerSessionMax} holdings and ${windowMax} answers of a session`;
  },
  resume: ({ op, hold }) => `dies, resumes its session after ${spanOf(op.arg)} ${hold}`,
};
