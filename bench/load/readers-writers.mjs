// Readers and writers over a few locks: nine of ten users' requests are shared. Beliefs are checked
// as they come: no writer beside anybody, and tokens that exclude one another grow.

import { WAIT_MS, closeClients, openClients, runFor } from './closed-loop.mjs';

const WRITE_EVERY = 10;

/** `users` loops over `sessions` clients and `locks` locks. */
export async function prepare({ addresses, users, sessions, locks }) {
  const clients = await openClients(addresses, sessions);
  const states = Array.from({ length: locks }, (_, n) => new Beliefs(`shared/${process.pid}/${n}`));
  const steps = Array.from({ length: users }, (_, n) =>
    readOrWrite(clients[n % sessions], states, n),
  );
  return {
    round: (seconds) => runFor(seconds, steps),
    close: () => closeClients(clients),
  };
}

/** Who believes to hold one lock, all of them in this process. */
class Beliefs {
  readers = 0;
  writers = 0;
  /** Largest tokens that were granted so far. */
  lastWrite = 0;
  last = 0;

  constructor(name) {
    this.name = name;
  }

  begin(mode, token) {
    const isWriter = mode === 'exclusive';
    const least = isWriter ? this.last : this.lastWrite;
    if (!(token > least)) throw new Error(`${this.name}: ${mode} token ${token} after ${least}`);
    if (this.writers > 0 || (isWriter && this.readers > 0)) {
      throw new Error(`${this.name}: ${mode} beside ${this.readers} + ${this.writers} holders`);
    }
    if (isWriter) this.writers += 1;
    else this.readers += 1;
    if (isWriter) this.lastWrite = token;
    this.last = Math.max(this.last, token);
  }

  end(mode) {
    if (mode === 'exclusive') this.writers -= 1;
    else this.readers -= 1;
  }
}

/** Others get their turn while it is held: else nobody could be seen beside the holder. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function readOrWrite(client, states, first) {
  let turn = first * 7;
  return async (tally) => {
    turn += 1;
    const state = states[turn % states.length];
    const mode = turn % WRITE_EVERY === 0 ? 'exclusive' : 'shared';
    const askedMs = performance.now();
    const grant = await client.lock(state.name).acquire({ mode, waitMs: WAIT_MS });
    tally.note(mode === 'shared' ? 'read' : 'write', performance.now() - askedMs);
    state.begin(mode, grant.token);
    await nextTurn();
    state.end(mode);
    await grant.release();
    tally.commands += 2;
  };
}
