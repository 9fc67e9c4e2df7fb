// Queues of a fixed length: whoever leaves comes back at the end at once. All requests go over one
// link, so that they are decided in the order in which they are made.

import { dialMany, forEach } from '../lib/by-hand.mjs';
import { GrowingToken, runFor } from './closed-loop.mjs';

const SESSIONS = 16;
const TTL_MS = 600_000;
/** So many leave at a time, of all queues together, where they need not wait for each other. */
const LEAVING = 64;

/** `waiters` behind the holder of each lock, at the leader's `address`. */
export async function prepare({ address, waiters }) {
  const [link] = await dialMany(address, 1);
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, () => link.openSession(TTL_MS)),
  );
  link.say({ type: 'attach', sessions: sessions.map(({ id }) => id) });
  const members = new Map();
  link.onGranted = ({ session, acquireSeq: seq, token }) => {
    const member = members.get(keyOf({ session: { id: session }, seq }));
    member?.queue.becomeHolder(member, token);
  };
  // As many locks as it takes for so many to leave at a time.
  const queues = Array.from(
    { length: Math.ceil(LEAVING / waiters) },
    (_, n) => new Queue(`queue/${waiters}/${n}`, sessions, members),
  );
  for (const queue of queues) await queue.fill(waiters);
  const leaving = (pick) =>
    Array.from(
      { length: LEAVING },
      (_, n) => (tally) => queues[n % queues.length].give(pick, tally),
    );
  return {
    handOff: (seconds) => runFor(seconds, [(tally) => queues[0].passOn(tally)]),
    fromTheHead: (seconds) =>
      runFor(
        seconds,
        leaving(() => 0),
      ),
    fromTheMiddle: (seconds) => runFor(seconds, leaving(placeOfWaiter)),
    async close() {
      for (const session of sessions) await session.ask({ op: 'closeSession' }).decided;
    },
  };
}

const keyOf = ({ session, seq }) => `${session.id} ${seq}`;

/** Of any of them; the first place is the holder's. */
const placeOfWaiter = (length) => 1 + Math.floor(Math.random() * (length - 1));

/**
 * One lock with its holder and its waiters. Their order here is that of the lock, but for those
 * whom the leader refused for a moment.
 */
class Queue {
  constructor(name, sessions, members) {
    Object.assign(this, { name, sessions, members, line: [], joined: 0 });
    this.tokens = new GrowingToken();
    /** Called when the next one has the lock. */
    this.onPassed = () => {};
  }

  async fill(waiters) {
    const first = this.join();
    const { token } = await first.decided;
    this.becomeHolder(first, token);
    await forEach(waiters, () => this.join().decided);
  }

  /** Somebody comes to the end, of one session after the other. */
  join() {
    const session = this.sessions[this.joined++ % this.sessions.length];
    const member = { session, queue: this, ...session.acquire(this.name) };
    this.line.push(member);
    this.members.set(keyOf(member), member);
    return member;
  }

  becomeHolder(member, token) {
    this.tokens.check(token, this.name);
    this.holder = { member, token };
    this.onPassed();
  }

  leave(at) {
    const [member] = this.line.splice(at, 1);
    this.members.delete(keyOf(member));
    return member;
  }

  /** The holder releases, and comes back at the end; timed until the next one has the lock. */
  async passOn(tally) {
    const { member, token } = this.holder;
    const { session, seq } = this.leave(this.line.indexOf(member));
    const passed = new Promise((resolve) => (this.onPassed = resolve));
    const askedMs = performance.now();
    const released = session.release(this.name, seq, token);
    const { decided } = this.join();
    await passed;
    tally.note('hand-off', performance.now() - askedMs);
    await checkQueued(decided);
    await released;
    tally.commands += 2;
  }

  /** Whoever is at a place gives up, holder or waiter, and comes back at the end. */
  async give(pick, tally) {
    const { session, seq, decided: joined } = this.leave(pick(this.line.length));
    await joined;
    const askedMs = performance.now();
    const cancelled = session.cancel(seq);
    const { decided } = this.join();
    await checkQueued(decided);
    await cancelled;
    tally.note('leave', performance.now() - askedMs);
    tally.commands += 2;
  }
}

async function checkQueued(decided) {
  const { code } = await decided;
  if (code !== 'QUEUED') throw new Error(`a request of a queue was answered with ${code}`);
}
