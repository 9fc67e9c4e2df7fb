// What the clients do, in shares. Everything that is held is entered in the fenced store; names
// come from pools of a fixed size, so that nothing grows but what leaks.

import { connect } from '../../dist/src/index.js';

const WAIT_MS = 60_000;
const HOLD_MS = 2;
const CONTENDED = 32;
const PERMITS = 4;
const GUESTS = 64;

/** Out of 100 turns. */
const SHARES = [
  [38, own],
  [18, contended],
  [14, shared],
  [8, semaphore],
  [6, several],
  [5, attempt],
  [7, question],
  [2, guest],
  [2, keep],
];
const SHARES_SUM = SHARES.reduce((sum, [share]) => sum + share, 0);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Does one turn that was meant for then; never rejects. */
export async function takeTurn(world, meantMs) {
  const below = (count) => Math.floor(world.draw() * count);
  let at = below(SHARES_SUM);
  const [, act] = SHARES.find(([share]) => (at -= share) < 0);
  const turn = { world, meantMs, below, member: world.members[below(world.members.length)] };
  world.tally.turns += 1;
  try {
    await act(turn);
  } catch (error) {
    world.tally.fail(act.name, meantMs, error);
  }
}

/** Comes in with a new grant, stays for a while, and gives it back. */
async function visit({ world }, grant, holdMs = HOLD_MS) {
  const { tally, store } = world;
  tally.granted();
  world.watchedGrants += grant.names.filter((name) => name.startsWith(world.watched)).length;
  const inside = store.enter(grant);
  if (holdMs > 0) await pause(holdMs);
  store.leave(inside);
  const meantMs = performance.now();
  await grant.release();
  tally.note('release', meantMs);
}

async function cycle(turn, kind, lock, { options = {}, holdMs = HOLD_MS } = {}) {
  const { world, meantMs } = turn;
  const grant = await lock.acquire({ waitMs: WAIT_MS, ...options });
  world.tally.note(kind, meantMs);
  await visit(turn, grant, holdMs);
}

/** A lock that nobody else wants. */
async function own(turn) {
  const { world, member } = turn;
  const number = world.free.pop() ?? world.ownCount++;
  try {
    await cycle(turn, 'own lock', member.client.lock(`${world.prefix}own/${number}`), {
      holdMs: 0,
    });
  } finally {
    world.free.push(number);
  }
}

function contended(turn) {
  const { world, member, below } = turn;
  const name = `${world.prefix}contended/${below(CONTENDED)}`;
  return cycle(turn, 'contended lock', member.client.lock(name));
}

function shared(turn) {
  const { world, member, below } = turn;
  const mode = below(5) === 0 ? 'exclusive' : 'shared';
  const name = `${world.prefix}shared/${below(CONTENDED)}`;
  return cycle(turn, mode === 'shared' ? 'reader' : 'writer', member.client.lock(name), {
    options: { mode },
  });
}

function semaphore(turn) {
  const { world, member, below } = turn;
  const name = `${world.prefix}semaphore/${below(CONTENDED)}`;
  return cycle(turn, 'semaphore', member.client.semaphore(name, PERMITS));
}

function several(turn) {
  const { world, member, below } = turn;
  const first = below(CONTENDED);
  const second = (first + 1 + below(CONTENDED - 1)) % CONTENDED;
  const names = [first, second].map((n) => `${world.prefix}contended/${n}`);
  return cycle(turn, 'two locks', member.client.lockAll(names));
}

async function attempt(turn) {
  const { world, member, meantMs, below } = turn;
  const lock = member.client.lock(`${world.prefix}contended/${below(CONTENDED)}`);
  const grant = await lock.tryAcquire();
  world.tally.note('attempt', meantMs);
  if (grant !== null) await visit(turn, grant);
}

async function question({ world, member, meantMs, below }) {
  const { prefix, tally } = world;
  if (below(4) === 0) await member.client.list({ prefix: `${prefix}contended/`, limit: 100 });
  else await member.client.inspect(`${prefix}contended/${below(CONTENDED)}`);
  tally.note('question', meantMs);
}

/** A session that comes, takes one lock and goes. */
async function guest(turn) {
  const { world, meantMs, below } = turn;
  const client = await connect({ nodes: world.addresses, name: 'guest' });
  try {
    const lock = client.lock(`${world.prefix}guest/${below(GUESTS)}`);
    const grant = await lock.acquire({ waitMs: WAIT_MS });
    world.tally.note('guest', meantMs);
    await visit(turn, grant, 0);
  } finally {
    await client.close();
  }
}

/** Takes a lock that is kept over many faults, or gives it back after all. */
async function keep({ world, member, meantMs, below }) {
  const { kept } = member;
  const held = await kept.change(member.client, below);
  if (held === null) return;
  world.tally.granted();
  world.tally.note('kept lock', meantMs);
}
