// What closed loops share: clients with an open session each, users that go on until the time is
// over, and what is told of a round.

import { connect } from '../../dist/src/index.js';
import { Latencies } from '../lib/latencies.mjs';

/** More than any round takes: who waits longer than this has been forgotten. */
export const WAIT_MS = 60_000;

/** So many clients, each with a session of its own on links of its own; the session is open. */
export async function openClients(addresses, count, { name = 'user', ttlMs = 15_000 } = {}) {
  const clients = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      connect({ nodes: addresses, name: `${name}-${n}`, ttlMs }),
    ),
  );
  await Promise.all(
    clients.map((client, n) => client.lock(`open/${name}/${process.pid}/${n}`).do(() => {})),
  );
  return clients;
}

/** Closes all of them. */
export async function closeClients(clients) {
  await Promise.all(clients.map((client) => client.close()));
}

/** What happened in one round: latencies by kind, cycles, and commands that were acknowledged. */
export class Tally {
  cycles = 0;
  /** Entries that the log must have grown by. */
  commands = 0;
  latencies = new Map();

  note(kind, ms) {
    const known = this.latencies.get(kind);
    if (known !== undefined) return known.note(ms);
    const latencies = new Latencies();
    this.latencies.set(kind, latencies);
    latencies.note(ms);
  }
}

/** Runs every step again and again until the time is over; what a process tells of its round. */
export async function runFor(seconds, steps) {
  const tally = new Tally();
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  const user = async (step) => {
    while (performance.now() < endMs) {
      await step(tally);
      tally.cycles += 1;
    }
  };
  await Promise.all(steps.map(user));
  return {
    cycles: tally.cycles,
    commands: tally.commands,
    seconds: (performance.now() - startMs) / 1_000,
    latencies: Object.fromEntries(
      [...tally.latencies].map(([kind, each]) => [kind, each.encoded()]),
    ),
  };
}

/** Refuses a token that is not larger than all before it. */
export class GrowingToken {
  last = 0;

  check(token, name) {
    if (!(token > this.last)) throw new Error(`${name}: token ${token} after ${this.last}`);
    this.last = token;
  }
}
