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
// Who shares a lock, or has other slots of a semaphore, is in nobody's way. Nor is a grant in its
// own, whoever else has it in hand: another handle, or the process that took it over.
//
// All of it is claimed within the bound of clock rates only, and not for what an operator ended.

import { DecodeError } from '../../src/wire/decode-error.ts';
import { decodePayload } from '../../src/wire/command.ts';
import type { SessionId, Token } from '../../src/base/units.ts';
import type { SessionGrant } from '../../src/client/grant.ts';
import type { Acquire, Command } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { Proposal, RaftEffect, RaftEvent } from '../../src/raft/events.ts';
import type { Life } from '../world/process.ts';
import { areInConflict, ClaimBook, exclusiveClaims } from './claims.ts';
import type { Claim } from './claims.ts';
import type { FactListener } from './machine.ts';
import { TokenOrder } from './token-order.ts';
import type { Verdict } from './verdict.ts';

/** A grant in the hands of a process, as an onlooker sees it. */
export interface Hold {
  readonly client: string;
  readonly life: Pick<Life, 'isAlive'>;
  readonly session: SessionId;
  readonly grant: Pick<
    SessionGrant,
    'names' | 'token' | 'mode' | 'slotsOf' | 'isBelievedNow' | 'peekLeftUs'
  >;
}

/** What beliefs are judged by. */
export interface BeliefRules {
  readonly verdict: Verdict;
  /** Whether all clocks keep within the bound that leases are built on. */
  readonly isBound: boolean;
  /** A client was told that it holds this. */
  readonly onBegin?: (hold: Hold) => void;
}

type Granted = Extract<LockEvent, { readonly type: 'granted' }>;
type Proposed = Extract<RaftEffect, { readonly type: 'proposed' }>;

/** An expiry that a leader created before the end of the lease. */
interface Hasty {
  readonly term: number;
  readonly message: string;
}

/** See the head of this file. Its collections grow with what one run does, and end with it. */
export class Beliefs implements FactListener {
  private readonly rules: BeliefRules;
  private readonly holds = new Map<Hold, readonly Claim[]>();
  private readonly book = new ClaimBook();
  private readonly order = new TokenOrder();
  // The newest grant of a session: by it one knows its lease, whoever holds it still.
  private readonly leases = new Map<SessionId, Hold>();
  private readonly lapsed = new Set<Hold>();
  private readonly waivedSessions = new Set<SessionId>();
  private readonly waivedGrants = new Map<string, Set<Token>>();
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
    return [...this.holds.keys()].filter((hold) => this.isBelieved(hold));
  }

  /** A client was told that it holds this. */
  begin(hold: Hold): void {
    this.holds.set(hold, this.read(hold));
    this.leases.set(hold.session, hold);
    this.rules.onBegin?.(hold);
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

  /** What the grant is of, by the log; what its holder was told is no more than that. */
  claimsOf(hold: Hold): readonly Claim[] {
    return this.holds.get(hold) ?? this.read(hold);
  }

  /** The log has this request; before its events. */
  onAcquire(command: Acquire): void {
    this.book.asks(command);
  }

  /** A node applied this grant, before all others; to be called in the order of the log. */
  onGranted(event: Granted, atUs: number): void {
    const { verdict, isBound } = this.rules;
    const claims = this.book.grants(event);
    for (const claim of claims) {
      const before = this.order.take(claim, event.token);
      verdict.expect(before === null, 'INV-16', () => {
        return `${claim.name} was granted with token ${before}, and later with ${event.token}`;
      });
    }
    if (!isBound) return;
    for (const [hold, held] of this.holds) {
      if (!overlaps(held, claims) || !this.isBelieved(hold)) continue;
      if (this.isWaived(hold)) continue;
      const { session, token, names } = event;
      const what = `${names.join(' and ')} was granted to ${session} with token ${token}`;
      verdict.report('INV-17', `at ${atUs} us ${what}, while ${describe(hold)}`);
    }
  }

  /** The client just made sure that it holds the lock: nobody else may believe so. */
  onUse(own: Hold): void {
    if (!this.rules.isBound) return;
    const claims = this.claimsOf(own);
    for (const [hold, held] of this.holds) {
      if (isSameGrant(hold, own) || !overlaps(held, claims)) continue;
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

  private read(hold: Hold): readonly Claim[] {
    const { session, grant } = hold;
    const all = this.book.find({ session, token: grant.token }, grant.names);
    const plain = exclusiveClaims(grant.names);
    const claims = all.length === 0 ? plain : all.find((each) => isToldOf(hold, each));
    if (claims !== undefined && isToldOf(hold, claims)) return claims;
    const slots = grant.names.map((name) => `[${grant.slotsOf(name).join()}]`);
    const told = `${grant.mode} with slots ${slots.join(' ')}`;
    const { verdict } = this.rules;
    verdict.report('INV-12', `${describe(hold)}, as ${told}: it was granted something else`);
    return claims ?? plain;
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

function overlaps(some: readonly Claim[], others: readonly Claim[]): boolean {
  return some.some((claim) => others.some((other) => areInConflict(claim, other)));
}

/** Two grants of one session with one token do not conflict, so they need not be told apart. */
function isSameGrant(left: Hold, right: Hold): boolean {
  return left.session === right.session && left.grant.token === right.grant.token;
}

/** What a holder was told of its mode and its slots is what the log granted. */
function isToldOf({ grant }: Hold, claims: readonly Claim[]): boolean {
  const isSame = ({ name, slots }: Claim): boolean =>
    grant.slotsOf(name).join() === (slots ?? []).join();
  return claims[0]?.mode === grant.mode && claims.every(isSame);
}

function describe({ client, session, grant }: Hold): string {
  const leftMs = Math.ceil(grant.peekLeftUs() / 1_000);
  const what = `${grant.names.join(' and ')} with token ${grant.token}`;
  return `${client} believes for another ${leftMs} ms that its session ${session} holds ${what}`;
}
