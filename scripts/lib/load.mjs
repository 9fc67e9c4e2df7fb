// Load for experiments on real clusters: clients that take and give back locks of their own all
// the time, while each holds one more lock throughout. Whatever goes wrong is kept and counted.

import { connect } from '../../dist/src/index.js';

/** What happened to the load so far. */
class Load {
  requests = 0;
  failures = [];
  lostLeases = [];
  latenciesMs = [];
  /** Longest requests first: [milliseconds, when it ended]. */
  longest = [];
  isOver = false;

  note(startMs) {
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    this.requests += 1;
    this.latenciesMs.push(tookMs);
    if (tookMs > (this.longest.at(-1)?.[0] ?? 0) || this.longest.length < 10) {
      this.longest.push([tookMs, endMs]);
      this.longest.sort((left, right) => right[0] - left[0]);
      this.longest.length = Math.min(this.longest.length, 10);
    }
  }

  get longestMs() {
    return this.longest[0]?.[0] ?? 0;
  }
}

async function work(client, load, name, pauseMs) {
  const held = await client.lock(`${name}/held`).acquire();
  held.signal.addEventListener('abort', () => {
    if (!load.isOver) load.lostLeases.push(`${name}: ${held.signal.reason?.message}`);
  });
  let lastToken = 0;
  let grant = null;
  const lock = client.lock(`${name}/cycle`);
  while (!load.isOver) {
    for (const step of ['acquire', 'release']) {
      const startMs = performance.now();
      try {
        if (step === 'acquire') {
          grant = await lock.acquire({ waitMs: 20_000 });
          if (grant.token <= lastToken) throw new Error('a token that does not grow');
          lastToken = grant.token;
        } else {
          await grant.release();
        }
        load.note(startMs);
      } catch (error) {
        load.failures.push(`${name}: ${step}: ${error.code ?? ''} ${error.message}`);
      }
    }
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (held.held()) await held.release();
}

/**
 * Starts so many clients, each with a session and links of its own. `pauseMs` between two cycles
 * of a client keeps a small machine from being the limit. `stop` waits for the last requests.
 */
export async function startLoad(addresses, { clients = 64, pauseMs = 5, ttlMs = 15_000 } = {}) {
  const load = new Load();
  const all = await Promise.all(
    Array.from({ length: clients }, (_, n) =>
      connect({ nodes: addresses, name: `load-${n}`, ttlMs }),
    ),
  );
  const workers = all.map((client, n) => work(client, load, `load/${n}`, pauseMs));
  return {
    load,
    async stop() {
      load.isOver = true;
      await Promise.all(workers);
      await Promise.all(all.map((client) => client.close()));
    },
  };
}
