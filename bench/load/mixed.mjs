// A mixed day: users that do what clients of a lock service do, in shares: locks of their own,
// locks that others want too, readers and writers, semaphores, several locks at once, attempts that
// may fail, questions, and sessions that come and go. A watch hears of every grant.

import { connect } from '../../dist/src/index.js';
import { GrowingToken, WAIT_MS, closeClients, openClients, runFor } from './closed-loop.mjs';

const HOLD_MS = 2;
/** So many names of each kind are shared by all users. */
const CONTENDED = 16;
const PERMITS = 4;
/** Out of 100 turns of a user. */
const SHARES = [
  [40, own],
  [18, contended],
  [14, shared],
  [8, semaphore],
  [6, several],
  [5, attempt],
  [6, question],
  [3, passing],
];
const SHARES_SUM = SHARES.reduce((sum, [share]) => sum + share, 0);
/** How long the watch may be behind in the end. */
const WATCH_MS = 10_000;

/** `users` loops over `sessions` clients, and one client that watches. */
export async function prepare({ addresses, users, sessions }) {
  const clients = await openClients(addresses, sessions);
  const prefix = `day/${process.pid}/`;
  const watch = new GrantWatch(clients[0], prefix);
  await watch.begin();
  const world = { addresses, prefix, tokens: new Map(), granted: 0 };
  const steps = Array.from({ length: users }, (_, n) =>
    userOf({ ...world, world, client: clients[n % sessions], number: n }),
  );
  return {
    async round(seconds) {
      const result = await runFor(seconds, steps);
      await watch.hear(world.granted);
      return result;
    },
    async close() {
      watch.end();
      await closeClients(clients);
    },
  };
}

/** Counts what a watch tells of grants: every one of them once, and no gap. */
class GrantWatch {
  heard = 0;
  error = null;

  constructor(client, prefix) {
    this.watch = client.watch({ prefix });
  }

  async begin() {
    await this.watch.ready();
    this.over = this.read().catch((error) => (this.error = error));
  }

  async read() {
    for await (const notice of this.watch) {
      if (notice.type === 'gap') throw new Error(`the watch has a gap after ${notice.after}`);
      if (notice.type === 'granted') this.heard += 1;
    }
  }

  /** Throws unless it has heard of exactly as many grants, after a while at most. */
  async hear(granted) {
    const endMs = performance.now() + WATCH_MS;
    while (this.heard < granted && this.error === null && performance.now() < endMs) {
      await pause(10);
    }
    if (this.error !== null) throw this.error;
    if (this.heard !== granted) throw new Error(`${granted} grants, the watch told ${this.heard}`);
  }

  end() {
    this.watch.close();
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The same turns in the same order in every run. */
function userOf(user) {
  let state = 2_654_435_761 * (user.number + 1);
  const draw = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return async (tally) => {
    let at = draw(SHARES_SUM);
    const [, act] = SHARES.find(([share]) => (at -= share) < 0);
    await act({ ...user, draw, tally });
  };
}

/** Takes, holds and gives back; `kind` is what its latency is called. */
async function cycle(user, kind, lock, { options = {}, holdMs = HOLD_MS } = {}) {
  const { tally } = user;
  const askedMs = performance.now();
  const grant = await lock.acquire({ waitMs: WAIT_MS, ...options });
  tally.note(kind, performance.now() - askedMs);
  noteGrant(user, grant);
  if (holdMs > 0) await pause(holdMs);
  await grant.release();
  tally.commands += 2;
}

/** Exclusive tokens of a name grow in the order in which its holders learn of them. */
function noteGrant({ world, tokens, prefix }, grant) {
  world.granted += grant.names.filter((name) => name.startsWith(prefix)).length;
  if (grant.mode !== 'exclusive' || grant.slots.length > 0) return;
  for (const name of grant.names) {
    if (!tokens.has(name)) tokens.set(name, new GrowingToken());
    tokens.get(name).check(grant.token, name);
  }
}

function own(user) {
  return cycle(user, 'own lock', user.client.lock(`${user.prefix}own/${user.number}`), {
    holdMs: 0,
  });
}

function contended(user) {
  const name = `${user.prefix}contended/${user.draw(CONTENDED)}`;
  return cycle(user, 'contended lock', user.client.lock(name));
}

function shared(user) {
  const mode = user.draw(5) === 0 ? 'exclusive' : 'shared';
  const name = `${user.prefix}shared/${user.draw(CONTENDED)}`;
  return cycle(user, `${mode} lock`, user.client.lock(name), { options: { mode } });
}

function semaphore(user) {
  const name = `${user.prefix}semaphore/${user.draw(CONTENDED)}`;
  return cycle(user, 'semaphore', user.client.semaphore(name, PERMITS));
}

function several(user) {
  const first = user.draw(CONTENDED);
  const second = (first + 1 + user.draw(CONTENDED - 1)) % CONTENDED;
  const names = [first, second].map((n) => `${user.prefix}contended/${n}`);
  return cycle(user, 'two locks', user.client.lockAll(names));
}

async function attempt(user) {
  const { client, tally, prefix, draw } = user;
  const askedMs = performance.now();
  const grant = await client.lock(`${prefix}contended/${draw(CONTENDED)}`).tryAcquire();
  tally.note('attempt', performance.now() - askedMs);
  tally.commands += 1;
  if (grant === null) return;
  noteGrant(user, grant);
  await grant.release();
  tally.commands += 1;
}

async function question({ client, tally, prefix, draw }) {
  const askedMs = performance.now();
  if (draw(4) === 0) await client.list({ prefix, limit: 100 });
  else await client.inspect(`${prefix}contended/${draw(CONTENDED)}`);
  tally.note('question', performance.now() - askedMs);
}

/** A session that comes, takes one lock and goes: it is opened and closed by an entry each. */
async function passing(user) {
  const { addresses, prefix, tally, number } = user;
  const askedMs = performance.now();
  const client = await connect({ nodes: addresses, name: 'passing' });
  const grant = await client.lock(`${prefix}passing/${number}`).acquire({ waitMs: WAIT_MS });
  noteGrant(user, grant);
  await grant.release();
  await client.close();
  tally.note('session', performance.now() - askedMs);
  tally.commands += 4;
}
