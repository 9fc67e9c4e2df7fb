import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';

/**
 * Takes back an acquire that may have reached the cluster: removes the waiter, returns the grant,
 * or refuses the acquire if it comes only now. Sent until it is decided; until then the acquire
 * counts as undecided too. Its caller has ended all belief in it before (RAFT.md §14.2).
 */
export function sendCancel(session: Session, acquireSeq: number): void {
  const { sequence, returns, id, parts } = session;
  if (id === null) return;
  const settle = (): void => {
    sequence.settle(acquireSeq);
    returns.end();
  };
  returns.begin();
  const command = new SessionCommand(
    sequence,
    (seq) => ({ op: 'cancel', session: id, seq, acquireSeq }),
    { onOutcome: settle, onFail: settle },
  );
  parts.requests.submitFreeing(command);
}
