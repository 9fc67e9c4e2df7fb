// What a client and the thread that renews its leases tell each other.

import type { KnownCluster } from './links.ts';
import type { Settings } from './options.ts';
import type { LeaseStart } from './renewal-host.ts';

/** What the thread is told; `begin` comes first, and once. */
export type ThreadOrder =
  | {
      readonly kind: 'begin';
      readonly settings: Settings;
      /** What the client has learnt by now: of its addresses none may be right any more. */
      readonly known: KnownCluster;
      /** As in LeaseOrigin: both threads measure by one clock. */
      readonly offsetUs: number;
      readonly suspended: SharedArrayBuffer;
    }
  | {
      readonly kind: 'renew';
      /** Of the lease among those of this client. */
      readonly number: number;
      readonly lease: LeaseStart;
      /** LEASE_CELLS cells, filled. */
      readonly memory: SharedArrayBuffer;
    }
  | { readonly kind: 'stop'; readonly number: number };

/**
 * What the thread tells: `ready` once, when it has found a leader over its own links; `confirmed`
 * and `doubt` as in RenewalOwner.
 */
export type ThreadNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'confirmed' | 'doubt'; readonly number: number }
  | { readonly kind: 'warning'; readonly message: string };

/** Who has started a thread. */
export interface ThreadOwner {
  onNews(news: ThreadNews): void;
  /** It did not start, or ended, for this reason. Once; not after end(). */
  onEnded(reason: string): void;
}

/** A thread that runs a RenewalProgram. */
export interface RenewalThread {
  /** Orders wait until it has started. */
  post(order: ThreadOrder): void;
  end(): void;
}

/** Starts one. The owner is never called inside the call. */
export type StartRenewalThread = (owner: ThreadOwner) => RenewalThread;
