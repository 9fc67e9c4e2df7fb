import { HoldfastError } from '../base/error.ts';
import type { Revision, SessionId, Token } from '../base/units.ts';
import { SessionGrant } from './grant.ts';
import type { Grant } from './grant.ts';
import type { LockInfo } from './holder.ts';
import { checkName } from './items.ts';
import { SessionLeadership, checkValue } from './leadership.ts';
import type { Leadership } from './leadership.ts';
import { acquireIn, acquireRequest, checkSignal } from './lock.ts';
import type { AcquireOptions, LockHome } from './lock.ts';
import { Observation } from './observation.ts';
import { grantName } from './loss.ts';
import { checkKnown, invalid } from './options.ts';
import { serialIterator } from './serial-iterator.ts';
import { SHOWN, shown } from './shown.ts';
import { WatchBatches } from './watch-batches.ts';
import type { Watches } from './watches.ts';

/** How to run for an election. */
export interface CampaignOptions extends Omit<AcquireOptions, 'mode'> {
  /** What observers are told of the leader, at most 4 KiB of text; the client's name by default. */
  readonly value?: string;
  /** As for a lock, but Infinity unless given: a candidate waits until it leads. */
  readonly waitMs?: number;
}

/** Who leads. */
export interface Leader {
  /** Fencing token of the leadership. */
  readonly token: Token;
  /** The session that leads. */
  readonly session: SessionId;
  /** Number of the acquire within its session: with it, the name of the leadership. */
  readonly acquireSeq: number;
  /** '' if the lock is held by somebody who did not campaign for it. */
  readonly value: string;
}

/** Who leads as of a revision; nobody (null) while the election is vacant. */
export interface ElectionView {
  /** null: vacant. */
  readonly leader: Leader | null;
  /** The state of the cluster that this shows: everything up to this position of the log. */
  readonly revision: Revision;
}

/**
 * An election: an exclusive lock of this name, whose holder leads and tells a value. As with every
 * lock, two may believe to lead at once if clocks or machines fail: see Grant, and use its token.
 */
export interface Election {
  /** The name of the lock that decides it. */
  readonly name: string;
  /**
   * Waits its turn and leads. Rejects like Lock.acquire; when the session ends during the wait, at
   * that moment: a candidate that cannot win is told, and campaigns anew if it still wants to.
   */
  campaign(options?: CampaignOptions): Promise<Leadership>;
  /**
   * Leads on with a grant of this election that came without its Leadership: from Client.grants
   * after a resume, or from Client.takeOver. The leadership takes the place of that handle, which
   * counts as released; its value is what the cluster knows. Rejects with INVALID for any other
   * grant, LOCK_LOST unless held, UNAVAILABLE after requestMs. Of a grant that was taken over, a
   * proclamation that had to be sent twice may take effect again after a later one.
   */
  resume(grant: Grant): Promise<Leadership>;
  /** Who leads now, linearizable. Rejects with UNAVAILABLE after requestMs. */
  leader(): Promise<ElectionView>;
  /**
   * Who leads now, then every change: another leader, another value, vacancy. Several changes of
   * one revision are told as one. After a reconnect it goes on without a loss; when the cluster has
   * forgotten what came between, or the reader was very slow, with the present view. Ends when the
   * signal aborts or the loop is left; rejects with CLOSED or CLUSTER_CHANGED. While no node
   * answers it waits.
   */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterable<ElectionView>;
}

/** What an election needs of its client. */
export interface ElectionHome extends LockHome {
  readonly watches: Watches;
  /** The value of a campaign that has none. */
  readonly name: string;
  inspect(name: string): Promise<LockInfo & { readonly revision: Revision }>;
}

const CAMPAIGN_OPTIONS: readonly string[] = [
  'value',
  'waitMs',
  'signal',
  'meta',
  'maxHoldMs',
] satisfies readonly (keyof CampaignOptions)[];

/** The election of one name; has no state but the name. */
export class ClientElection implements Election {
  readonly name: string;
  private readonly home: ElectionHome;

  /** Throws HoldfastError INVALID for what cannot be a name. */
  constructor(home: ElectionHome, name: string) {
    this.name = checkName(name);
    this.home = home;
  }

  [SHOWN](): string {
    return shown('Election', { name: this.name });
  }

  async campaign(options: CampaignOptions = {}): Promise<Leadership> {
    checkKnown(options, CAMPAIGN_OPTIONS);
    const { waitMs = Infinity, value: given, ...rest } = options;
    const value = given === undefined ? this.home.name : checkValue(given);
    const { name } = this;
    const wanted = {
      items: [{ name, mode: 'exclusive', permits: null }],
      names: [name],
      value,
    } as const;
    const request = acquireRequest(this.home, wanted, { ...rest, waitMs });
    return acquireIn(this.home, request, (session, start) => {
      return new SessionLeadership(session, start, value);
    });
  }

  async resume(grant: Grant): Promise<Leadership> {
    if (!(grant instanceof SessionGrant) || !isLockAlone(grant, this.name)) {
      throw invalid('grant', `an exclusive grant of ${JSON.stringify(this.name)} alone`, grant);
    }
    grant.assertHeld();
    const { holder } = await this.home.inspect(this.name);
    if (holder?.token !== grant.token) {
      throw new HoldfastError('LOCK_LOST', `the cluster has ${grantName(grant)} no more`);
    }
    const leadership = grant.share((session, start, hold) => {
      return new SessionLeadership(session, start, holder.value ?? '', hold);
    });
    await grant.release();
    return leadership;
  }

  async leader(): Promise<ElectionView> {
    return electionView(await this.home.inspect(this.name));
  }

  observe(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<ElectionView> {
    checkKnown(options, ['signal']);
    const signal = checkSignal(options.signal);
    const target = { name: this.name, prefix: '' };
    return {
      [Symbol.asyncIterator]: () => {
        const batches = new WatchBatches(this.home.watches, { target, after: null, signal });
        return serialIterator(new Observation(batches, () => this.leader()));
      },
    };
  }
}

function isLockAlone({ names, mode, slots }: Grant, name: string): boolean {
  const isAlone = names.length === 1 && names[0] === name;
  return isAlone && mode === 'exclusive' && slots.length === 0;
}

function electionView({
  holder,
  revision,
}: LockInfo & { readonly revision: Revision }): ElectionView {
  if (holder === null) return { leader: null, revision };
  const { token, session, acquireSeq, value } = holder;
  return { leader: { token, session, acquireSeq, value: value ?? '' }, revision };
}
