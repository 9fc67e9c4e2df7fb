// Clients in processes of their own that are killed, or paused for longer than their TTL, while
// another client waits for the same lock. What a paused one writes when it wakes up comes too late
// and must be refused.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './local-cluster.mjs';

const PROGRAM = fileURLToPath(new URL('./soak-victim-process.mjs', import.meta.url));
const TTL_MS = 3_000;
/** The rival stays for so long, and lets the victim go first afterwards. */
const STAY_MS = 200;
const LIMIT_MS = 60_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One lock with its victim and its rival. */
class Pair {
  /** The victim's last write that was taken, and how many were not. */
  token = 0;
  refused = 0;
  child = null;
  rivalToken = 0;
  isOver = false;

  constructor(world, number, client) {
    this.world = world;
    this.name = `${world.prefix}victim/${number}`;
    this.client = client;
    this.abort = new AbortController();
  }

  async begin() {
    this.spawn();
    await until(`${this.name} to be held`, () => this.token > 0, LIMIT_MS);
    this.rival = this.compete();
  }

  spawn() {
    this.child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.child.on('message', ({ token }) => {
      if (token === undefined) return;
      if (this.world.store.write(this.name, token)) this.token = token;
      else this.refused += 1;
    });
    this.child.on('error', (error) => this.world.tally.violate(`a victim: ${error.message}`));
    this.child.send({ addresses: this.world.addresses, name: this.name, ttlMs: TTL_MS });
  }

  /** Another client that wants the same lock all the time. */
  async compete() {
    const { store, tally } = this.world;
    while (!this.isOver) {
      try {
        const lock = this.client.lock(this.name);
        const grant = await lock.acquire({ waitMs: Infinity, signal: this.abort.signal });
        const inside = store.enter(grant);
        this.rivalToken = grant.token;
        await pause(STAY_MS);
        store.leave(inside);
        await grant.release();
      } catch (error) {
        if (!this.isOver) tally.fail('rival', -Infinity, error);
      }
      await pause(STAY_MS);
    }
  }

  /** Resolves when the rival has had the lock; after how long, and how many late writes came. */
  async harm({ isKill, lengthMs }) {
    await until(`${this.name} to be held again`, () => this.token > this.rivalToken, LIMIT_MS);
    const { token, child, refused: refusedBefore } = this;
    const startMs = performance.now();
    child.kill(isKill ? 'SIGKILL' : 'SIGSTOP');
    const isTaken = () => this.rivalToken > token;
    try {
      if (!isKill) await pause(lengthMs);
      // Before it wakes up: on a slow machine its lease may end late, and its write be in time.
      await until(`${this.name} to be taken over`, isTaken, LIMIT_MS);
    } finally {
      if (isKill) this.spawn();
      else child.kill('SIGCONT');
    }
    const tookMs = performance.now() - startMs;
    await until(`${this.name} to be taken back`, () => this.token > this.rivalToken, LIMIT_MS);
    const refused = this.refused - refusedBefore;
    if (!isKill && refused === 0)
      this.world.tally.violate(`${this.name}: no late write was refused`);
    return { tookMs: Math.round(tookMs), refused };
  }

  async end() {
    this.isOver = true;
    this.abort.abort();
    this.child.kill('SIGKILL');
    await this.rival;
  }
}

/** A few of them; `clients` are those of the rivals. */
export class Victims {
  constructor(world, clients) {
    this.pairs = clients.map((client, number) => new Pair(world, number, client));
  }

  async begin() {
    await Promise.all(this.pairs.map((pair) => pair.begin()));
  }

  harm({ chance, ...fault }) {
    return this.pairs[Math.floor(chance * this.pairs.length)].harm(fault);
  }

  async end() {
    await Promise.all(this.pairs.map((pair) => pair.end()));
  }

  /** At once. */
  kill() {
    for (const { child } of this.pairs) child?.kill('SIGKILL');
  }
}
