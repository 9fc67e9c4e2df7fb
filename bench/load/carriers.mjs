// Sessions that do nothing but stay alive, many on each link. The client library gives every
// session links of its own; the wire protocol lets a link carry many, and this is what they cost.
// Renewed at a third of the TTL, spread over the time.

import { createWsTransport } from '../../dist/src/adapters/ws-transport.js';
import { decodeNodeMessages, encodeClientMessages } from '../../dist/src/wire/client.js';
import { encodeBody } from '../../dist/src/wire/command.js';
import { sleep } from '../../scripts/lib/local-cluster.mjs';
import { Latencies } from '../lib/latencies.mjs';
import { shares } from '../lib/statistics.mjs';

const UNDECIDED_MAX = 64;
/** Each link renews its sessions in so many portions, one after the other. */
const PORTIONS = 10;
const NOT_TAKEN_PAUSE_MS = 50;

/** One link that carries many sessions. */
class Carrier {
  constructor(link, { number, ttlMs }) {
    Object.assign(this, { link, number, ttlMs, sessions: [], lost: 0 });
    this.latencies = new Latencies();
    this.sentAt = new Map();
    this.nonce = 0;
    this.onOpened = () => {};
    this.onRefused = () => {};
    link.onFrame = (frame) => decodeNodeMessages(frame).forEach((message) => this.hear(message));
    link.onClose = (reason) => {
      throw new Error(`a link was closed: ${reason}`);
    };
    const hello = { type: 'hello', versionMin: 1, versionMax: 1, clusterId: null, name: 'carrier' };
    this.say([hello]);
  }

  say(messages) {
    this.link.send(encodeClientMessages(messages));
  }

  open(count) {
    return new Promise((resolve) => {
      let asked = 0;
      let refused = 0;
      const ask = () => {
        while (asked - refused < count && asked - refused - this.sessions.length < UNDECIDED_MAX) {
          asked += 1;
          this.askToOpen(asked);
        }
        if (this.sessions.length === count) resolve();
      };
      // Nothing was done for it: asked again, as any client would.
      this.onRefused = () => {
        refused += 1;
        setTimeout(ask, NOT_TAKEN_PAUSE_MS);
      };
      this.onOpened = ask;
      ask();
    });
  }

  askToOpen(requestId) {
    const nonce = Buffer.from(`${this.number}.${requestId}`.padStart(12, '-'));
    const body = encodeBody({
      op: 'openSession',
      nonce: nonce.toString('base64url'),
      ttlMs: this.ttlMs,
      lockDelayMs: 0,
      name: 'idle',
      meta: '{}',
    });
    this.say([{ type: 'command', requestId, ackedBelow: 0, body }]);
  }

  renew(portion) {
    const items = [];
    for (let at = portion; at < this.sessions.length; at += PORTIONS) {
      items.push({ session: this.sessions[at], nonce: ++this.nonce });
    }
    if (items.length === 0) return;
    this.sentAt.set(this.nonce, performance.now());
    this.say([{ type: 'keepAlive', items }]);
  }

  hear(message) {
    if (message.type === 'reply') {
      if (message.outcome.code !== 'OPENED') return this.onRefused();
      this.sessions.push(message.outcome.session);
      this.onOpened();
    } else if (message.type === 'keepAliveReply') {
      for (const { code, nonce } of message.items) {
        if (code !== 'OK') this.lost += 1;
        const sentAt = this.sentAt.get(nonce);
        if (sentAt === undefined) continue;
        this.latencies.note(performance.now() - sentAt);
        this.sentAt.delete(nonce);
      }
    }
  }
}

const dial = (transport, address) =>
  new Promise((resolve, reject) => {
    transport.dial(address, 'client', (result) => {
      if (typeof result === 'string') reject(new Error(`dialling ${address} ${result}`));
      else resolve(result);
    });
  });

/** `sessions` over `links` to the leader, at `address`. */
export async function prepare({ address, sessions, links, ttlMs, first = 0 }) {
  const transport = createWsTransport({});
  const carriers = [];
  for (let n = 0; n < links; n++) {
    carriers.push(new Carrier(await dial(transport, address), { number: first + n, ttlMs }));
  }
  const portionMs = ttlMs / 3 / PORTIONS;
  const counts = shares(sessions, links);
  const total = (pick) => carriers.reduce((sum, carrier) => sum + pick(carrier), 0);
  return {
    async open() {
      setInterval(() => {
        const portion = Math.floor(performance.now() / portionMs) % PORTIONS;
        for (const carrier of carriers) carrier.renew(portion);
      }, portionMs);
      await Promise.all(carriers.map((carrier, n) => carrier.open(counts[n])));
      return { opened: total((carrier) => carrier.sessions.length), commands: sessions };
    },
    async round(seconds) {
      for (const carrier of carriers) carrier.latencies = new Latencies();
      await sleep(seconds * 1_000);
      const texts = carriers.map(({ latencies }) => latencies.encoded());
      return { lost: total(({ lost }) => lost), renewals: Latencies.ofAll(texts).encoded() };
    },
  };
}
