// INV-17: no client believes in a lock that another session was granted. Seen from outside: at the
// true instant at which a node first applies the grant, no process anywhere may still hold the
// lock in its own eyes, were it asked with a fresh clock. A stopped process counts, for it may wake
// and ask at any instant; a dead one believes nothing.
//
// The proof says more (RAFT.md §14.3): the lease is over by the client's own clock before its
// expiry is even created, whether the client gave up earlier or not. So every expiry that a leader
// creates is held against the lease at that instant, and judged when it turns out to be committed:
// one that is not is harmless.
//
// All of it is claimed within the bound of clock rates only, and not for what an operator ended.

import { DecodeError } from '../../src/wire/decode-error.ts';
import { decodePayload } from '../../src/wire/command.ts';
import type { SessionId, Token } from '../../src/base/units.ts';
import type { SessionGrant } from '../../src/client/grant.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { Proposal, RaftEffect, RaftEvent } from '../../src/raft/events.ts';
import type { Life } from '../world/process.ts';
import type { Verdict } from './verdict.ts';

/** A grant in the hands of a process, as an onlooker sees it. */
export interface Hold {
  readonly client: string;
  readonly life: Pick<Life, 'isAlive'>;
  readonly session: SessionId;
  readonly grant: Pick<SessionGrant, 'names' | 'token' | 'isBelievedNow' | 'peekLeftUs'>;
}

/** What beliefs are judged by. */
export interface BeliefRules {
  readonly verdict: Verdict;
  /** Whether all clocks keep within the bound that leases are built on. */
  readonly isBound: boolean;
}

type Granted = Extract<LockEvent, { readonly type: 'granted' }>;
type Proposed = Extract<RaftEffect, { readonly type: 'proposed' }>;

/** An expiry that a leader created before the end of the lease. */
interface Hasty {
  readonly term: number;
  readonly message: string;
}

/** See the head of this file. Its collections grow with what one run does, and end with it. */
export class Beliefs {
  private readonly rules: BeliefRules;
  private readonly holds = new Set<Hold>();
  // The newest grant of a session: by it one knows its lease, whoever holds it still.
  private readonly leases = new Map<SessionId, Hold>();
  private readonly lapsed = new Set<Hold>();
  private readonly waivedSessions = new Set<SessionId>();
  private readonly waivedGrants = new Map<string, Set<Token>>();
  private readonly tokens = new Map<string, Token>();
  private readonly hasty = new Map<number, Hasty[]>();
  private closest = Infinity;

  constructor(rules: BeliefRules) {
    this.rules = rules;
  }

  /** Least time between the end of a lease and its expiry, in microseconds; Infinity: none was. */
  get closestUs(): number {
    return this.closest;
  }

  /** Those who believe now. */
  believed(): readonly Hold[] {
    return [...this.holds].filter((hold) => this.isBelieved(hold));
  }

  /** A client was told that it holds this. */
  begin(hold: Hold): void {
    this.holds.add(hold);
    this.leases.set(hold.session, hold);
  }

  /** It acts on it no more. */
  end(hold: Hold): void {
    this.holds.delete(hold);
    this.lapsed.delete(hold);
  }

  /** An operator is about to break this grant: its holder may learn of it late. */
  waiveGrant(name: string, token: Token): void {
    const tokens = this.waivedGrants.get(name) ?? new Set();
    this.waivedGrants.set(name, tokens.add(token));
  }

  /** An operator is about to end this session. */
  waiveSession(session: SessionId): void {
    this.waivedSessions.add(session);
  }

  /** Whether an operator ended it, or may have. */
  isWaived({ session, grant }: Hold): boolean {
    if (this.waivedSessions.has(session)) return true;
    return grant.names.some((name) => this.waivedGrants.get(name)?.has(grant.token) === true);
  }

  /** A node applied this grant, before all others; to be called in the order of the log. */
  onGranted(event: Granted, atUs: number): void {
    const { verdict, isBound } = this.rules;
    for (const name of event.names) {
      const before = this.tokens.get(name) ?? 0;
      verdict.expect(before < event.token, 'INV-16', () => {
        return `${name} was granted with token ${before}, and later with ${event.token}`;
      });
      this.tokens.set(name, event.token);
    }
    if (!isBound) return;
    for (const hold of this.holds) {
      if (!overlaps(hold.grant.names, event.names) || !this.isBelieved(hold)) continue;
      if (this.isWaived(hold)) continue;
      const { session, token, names } = event;
      const what = `${names.join(' and ')} was granted to ${session} with token ${token}`;
      verdict.report('INV-17', `at ${atUs} us ${what}, while ${describe(hold)}`);
    }
  }

  /** The client just made sure that it holds the lock: nobody else may believe so. */
  onUse(own: Hold): void {
    if (!this.rules.isBound) return;
    for (const hold of this.holds) {
      if (hold === own || !overlaps(hold.grant.names, own.grant.names)) continue;
      if (!this.isBelieved(hold) || this.isWaived(hold) || this.isWaived(own)) continue;
      this.rules.verdict.report('INV-17', `${describe(own)}, and at once ${describe(hold)}`);
    }
  }

  /** For a node's HostWatch: a leader may have created expiries. */
  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void {
    if (event.type !== 'propose' || event.proposals[0]?.internal !== true) return;
    const proposed = effects.find((effect): effect is Proposed => effect.type === 'proposed');
    if (proposed === undefined || !this.rules.isBound) return;
    event.proposals.slice(0, proposed.accepted).forEach((proposal, at) => {
      const session = expiringSession(proposal);
      if (session !== null) this.onExpiring(session, proposed.firstIndex + at, proposed.term);
    });
  }

  /** For a node's HostWatch: the fate of an expiry is known once any node applies its entry. */
  applied({ index, term }: Pick<Entry, 'index' | 'term'>, command: Command | null): void {
    const found = this.hasty.get(index);
    if (found === undefined || command?.op !== 'expireSession') return;
    for (const hasty of found) {
      if (hasty.term === term) this.rules.verdict.report('INV-17', hasty.message);
    }
  }

  private onExpiring(session: SessionId, index: number, term: number): void {
    const lease = this.leases.get(session);
    if (lease === undefined || !lease.life.isAlive) return;
    const leftUs = lease.grant.peekLeftUs();
    this.closest = Math.min(this.closest, -leftUs);
    // Without TTL an expiry changes nothing any more once there was a grant.
    if (leftUs <= 0 || leftUs === Infinity) return;
    const { client } = lease;
    const message =
      `the expiry of ${session} was created at index ${index}, when its lease had ` +
      `another ${Math.ceil(leftUs)} us by the clock of ${client}`;
    this.hasty.set(index, [...(this.hasty.get(index) ?? []), { term, message }]);
  }

  /** Once over, always over: a belief that comes back is a broken promise by itself. */
  private isBelieved(hold: Hold): boolean {
    const isBelieved = hold.life.isAlive && hold.grant.isBelievedNow();
    if (!isBelieved) this.lapsed.add(hold);
    else if (this.lapsed.has(hold)) {
      this.rules.verdict.report('INV-17', `after its end ${describe(hold)} again`);
    }
    return isBelieved;
  }
}

function expiringSession({ payload }: Proposal): SessionId | null {
  try {
    const command = decodePayload(payload);
    return command.op === 'expireSession' ? command.session : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function overlaps(some: readonly string[], others: readonly string[]): boolean {
  return some.some((name) => others.includes(name));
}

function describe({ client, session, grant }: Hold): string {
  const leftMs = Math.ceil(grant.peekLeftUs() / 1_000);
  const what = `${grant.names.join(' and ')} with token ${grant.token}`;
  return `${client} believes for another ${leftMs} ms that its session ${session} holds ${what}`;
}
