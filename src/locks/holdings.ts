// What a session has, for whoever resumes it.

import { UNNUMBERED_SEQ_MIN } from './commands.ts';
import type { ReplicatedLimits } from './commands.ts';
import type { HoldingView, SessionHoldings } from './outcomes.ts';
import type { Request, Session } from './state.ts';

/**
 * The live requests of a session with a number above `after`, in the order of their numbers.
 * `highest` are the highest limits that were ever in force.
 */
export function sessionHoldings(
  session: Session,
  after: number,
  limit: number,
  highest: ReplicatedLimits,
): SessionHoldings {
  const requests = [...session.requests.values()]
    .filter((request) => request.seq > after)
    .sort((left, right) => left.seq - right.seq);
  return {
    holdings: requests.slice(0, limit).map(holdingView),
    hasMore: requests.length > limit,
    nextSeq: nextSeq(session, highest),
  };
}

function holdingView(request: Request): HoldingView {
  const { seq: acquireSeq, token, value } = request;
  const mode = request.claims[0]?.need.mode ?? 'exclusive';
  return { acquireSeq, token, names: request.names(), mode, slots: request.slots(), value };
}

/** A client has at most a window of requests that the machine does not know of. */
function nextSeq(session: Session, { windowMax }: ReplicatedLimits): number {
  let highest = session.ackedBelow;
  for (const { seq } of [...session.requests.values(), ...session.records.values()]) {
    if (seq < UNNUMBERED_SEQ_MIN) highest = Math.max(highest, seq);
  }
  return highest + windowMax + 1;
}
