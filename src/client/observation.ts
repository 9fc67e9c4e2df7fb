import { HoldfastError } from '../base/error.ts';
import type { WatchEvent } from '../wire/watch-messages.ts';
import type { ElectionView, Leader } from './election.ts';
import type { Source } from './serial-iterator.ts';
import type { Batch, WatchBatches } from './watch-batches.ts';

/**
 * Follows an election. 1. The watch begins at a revision. 2. The lock is inspected, as of that
 * revision or a later one. 3. Events up to the inspected revision are in that view already; later
 * ones change it. A gap leads to 2 again, so no change between is lost, though several may be told
 * as one.
 */
export class Observation implements Source<ElectionView> {
  private readonly batches: WatchBatches;
  private readonly look: () => Promise<ElectionView>;
  /** The last one that was told. */
  private view: ElectionView | null = null;
  /** Up to there everything is in `view`. */
  private known = 0;

  constructor(batches: WatchBatches, look: () => Promise<ElectionView>) {
    this.batches = batches;
    this.look = look;
  }

  close(): void {
    this.batches.close();
  }

  async next(): Promise<ElectionView | null> {
    for (;;) {
      const batch = await this.batches.next();
      if (batch === null) return null;
      if (batch.revision <= this.known && this.view !== null) continue;
      const { view: before } = this;
      const isChange = batch.kind === 'events' && before !== null;
      const view = isChange ? viewAfter(before, batch) : await this.inspected();
      if (view === null) return null;
      this.known = view.revision;
      if (this.view !== null && isSame(this.view.leader, view.leader)) continue;
      this.view = view;
      return view;
    }
  }

  // While no node answers it goes on asking, as the watch does: each question lasts requestMs.
  private async inspected(): Promise<ElectionView | null> {
    while (!this.batches.isOver) {
      try {
        return await this.lookUnlessOver();
      } catch (error) {
        if (HoldfastError.is(error) && error.code === 'UNAVAILABLE') continue;
        this.close();
        throw error;
      }
    }
    return null;
  }

  private lookUnlessOver(): Promise<ElectionView | null> {
    return new Promise((resolve, reject) => {
      this.batches.onOver = () => resolve(null);
      this.look().then(resolve, reject);
    });
  }
}

function viewAfter(
  { leader }: ElectionView,
  { revision, events }: Extract<Batch, { readonly kind: 'events' }>,
): ElectionView {
  return { leader: events.reduce(leaderAfter, leader), revision };
}

function leaderAfter(leader: Leader | null, event: WatchEvent): Leader | null {
  const { type, token, session, acquireSeq, value } = event;
  switch (type) {
    case 'granted':
      return { token, session, acquireSeq, value: value ?? '' };
    case 'proclaimed':
      return token === leader?.token ? { ...leader, value: value ?? '' } : leader;
    case 'released':
    case 'expired':
    case 'broken':
      return token === leader?.token ? null : leader;
    default:
      return leader;
  }
}

function isSame(one: Leader | null, other: Leader | null): boolean {
  return (
    one?.token === other?.token &&
    one?.session === other?.session &&
    one?.acquireSeq === other?.acquireSeq &&
    one?.value === other?.value
  );
}
