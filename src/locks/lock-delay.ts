// The lock-delay (RAFT.md §13): what expired grants leave behind, and how it goes. Only an expiry
// leaves ghosts: whoever closes, releases or is broken has let go, or was made to.

import { probes } from '../base/probe.ts';
import { compareUtf8 } from '../base/name.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { LiftDelay } from './commands.ts';
import { Ghost } from './ghost.ts';
import type { FormerGrant } from './ghost.ts';
import { grantPass } from './granting.ts';
import { leaveGhost, removeGhost } from './lock-table.ts';
import type { Outcome } from './outcomes.ts';
import type { Lock, Request } from './state.ts';
import { tell, touchLock } from './step.ts';
import type { Step } from './step.ts';

const NO_SLOTS: readonly number[] = [];

/** Puts a ghost in the place of the grant on each of its names. Its session expires. */
export function leaveGhosts(
  step: Step,
  request: Request,
  lockDelayMs = request.session.lockDelayMs,
): void {
  const { session, seq: acquireSeq, token } = request;
  const { id, index: opened, name: sessionName } = session;
  const closedAt = step.index;
  const ghosts: Ghost[] = [];
  const about = { session: id, opened, sessionName, acquireSeq, token };
  const grant = { ...about, lockDelayMs, closedAt, ghosts };
  for (const claim of request.claims) {
    const { lock, need } = claim;
    const ghost = new Ghost(grant, { lock, need, slots: lock.crowd?.slotsOf(claim) ?? NO_SLOTS });
    leaveGhost(claim, ghost);
    ghosts.push(ghost);
    step.state.rows.touch(ghost);
    const { name } = lock;
    const delayMs = lockDelayMs;
    tell(step, { type: 'delayed', session: id, acquireSeq, token, name, closedAt, delayMs });
  }
}

/**
 * The delay of a name is over: its ghosts of that expiry go. An entry of another term was decided
 * by a leader whose clock counts no more.
 */
export function liftDelay(step: Step, command: LiftDelay): Outcome {
  if (command.proposerTerm !== step.term) return { code: 'DONE' };
  const lock = step.state.locks.find(command.name);
  for (const ghost of lock?.crowd?.ghostsOf(command.closedAt) ?? []) {
    lift(step, ghost, { cause: 'over', reason: '' });
  }
  grantPass(step);
  return { code: 'DONE' };
}

/** Former grants of a lock with this token, of one session or (null) of all. */
export function formerGrantsOf(
  lock: Lock | null,
  token: Token,
  session: SessionId | null,
): readonly FormerGrant[] {
  const ghosts = lock?.crowd?.ghosts(Infinity) ?? [];
  return ghosts
    .map((ghost) => ghost.grant)
    .filter((grant) => grant.token === token)
    .filter((grant) => session === null || grant.session === session);
}

/** An operator ends the delay of all names of a former grant. The caller runs the pass. */
export function breakDelay(step: Step, grant: FormerGrant, reason: string): void {
  probes.reach('lock-delay-broken');
  // By name, for the rows of ghosts do not tell in which order the request had them.
  const ghosts = [...grant.ghosts].sort((left, right) =>
    compareUtf8(left.lock.name, right.lock.name),
  );
  for (const ghost of ghosts) lift(step, ghost, { cause: 'broken', reason });
}

function lift(
  step: Step,
  ghost: Ghost,
  end: { readonly cause: 'over' | 'broken'; readonly reason: string },
): void {
  const { session, acquireSeq, token, closedAt, ghosts } = ghost.grant;
  const { name } = ghost.lock;
  step.state.rows.drop(ghost);
  removeGhost(ghost);
  ghosts.splice(ghosts.indexOf(ghost), 1);
  tell(step, { type: 'lifted', session, acquireSeq, token, name, closedAt, ...end });
  touchLock(step, ghost.lock);
  step.state.locks.discardIfFree(ghost.lock);
}
