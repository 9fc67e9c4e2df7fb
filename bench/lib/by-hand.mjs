// The protocol of clients, spoken by hand: many sessions on one link, and an answer to every single
// command, a queued acquire too. What the library keeps for each grant is not in the way of large
// numbers here. What a node refuses for a moment is asked again; a link that ends ends the load.

import { randomBytes } from 'node:crypto';
import { createWsTransport } from '../../dist/src/adapters/ws-transport.js';
import { decodeNodeMessages, encodeClientMessages } from '../../dist/src/wire/client.js';
import { encodeBody } from '../../dist/src/wire/command.js';

/** Well within a frame: a command of a lock has about 100 bytes. */
const MESSAGES_PER_FRAME = 1_024;
const UNDECIDED_MAX = 512;
/** Nothing was done: the leader has too much to do, or was stopped for so long that it must ask. */
const REFUSED_FOR_NOW = new Set(['OVERLOADED', 'UNAVAILABLE']);
const REFUSED_PAUSE_MS = 20;
/** What outcomes of commands are here; anything else is an error of the load. */
const EXPECTED = new Set(['OPENED', 'GRANTED', 'QUEUED', 'DONE']);

/** Links to the node at the address, which must be the leader. */
export function dialMany(address, count) {
  const transport = createWsTransport({});
  return Promise.all(Array.from({ length: count }, () => dial(transport, address)));
}

function dial(transport, address) {
  return new Promise((resolve, reject) => {
    transport.dial(address, 'client', (result) => {
      if (typeof result === 'string') reject(new Error(`dialling ${address} ${result}`));
      else resolve(new HandLink(result));
    });
  });
}

/** One link. What is said in one turn goes into one frame. */
class HandLink {
  constructor(link) {
    Object.assign(this, { link, unsent: [], nextId: 1 });
    /** Who waits for the answer with this number; commands, renewals and watches alike. */
    this.commands = new Map();
    this.renewals = new Map();
    this.watches = new Map();
    /** Called with { session, acquireSeq, token } of a waiter that is granted, if attached. */
    this.onGranted = () => {};
    link.onFrame = (frame) => decodeNodeMessages(frame).forEach((message) => this.hear(message));
    link.onClose = (reason) => {
      throw new Error(`a link was closed: ${reason}`);
    };
    this.say({ type: 'hello', versionMin: 1, versionMax: 1, clusterId: null, name: 'by-hand' });
  }

  say(message) {
    if (this.unsent.length === 0) queueMicrotask(() => this.send());
    this.unsent.push(message);
  }

  send() {
    while (this.unsent.length > 0) {
      this.link.send(encodeClientMessages(this.unsent.splice(0, MESSAGES_PER_FRAME)));
    }
  }

  /** Resolves with what the command came to. */
  command(body, ackedBelow) {
    return new Promise((resolve, reject) => {
      const requestId = this.nextId++;
      const message = { type: 'command', requestId, ackedBelow, body: encodeBody(body) };
      this.commands.set(requestId, { op: body.op, message, resolve, reject });
      this.say(message);
    });
  }

  /** Renews all of these sessions with one message; resolves when the answer is there. */
  renew(sessions) {
    return new Promise((resolve) => {
      const items = sessions.map(({ id }) => ({ session: id, nonce: this.nextId++ }));
      this.renewals.set(items[0].nonce, resolve);
      this.say({ type: 'keepAlive', items });
    });
  }

  /** Resolves when the watch has begun; `onEvents` gets lists of events. */
  watch(prefix, onEvents) {
    return new Promise((resolve) => {
      const watchId = this.nextId++;
      this.watches.set(watchId, { resolve, onEvents });
      this.say({ type: 'watch', watchId, target: { name: null, prefix }, after: null });
    });
  }

  async openSession(ttlMs) {
    const outcome = await this.command(
      {
        op: 'openSession',
        nonce: randomBytes(12).toString('base64url'),
        ttlMs,
        lockDelayMs: 0,
        name: 'by-hand',
        meta: '{}',
      },
      0,
    );
    return new HandSession(this, outcome.session);
  }

  hear(message) {
    if (message.type === 'reply') this.hearReply(message);
    else if (message.type === 'keepAliveReply') this.hearRenewal(message);
    else if (message.type === 'watching') this.watches.get(message.watchId).resolve();
    else if (message.type === 'watchEvents')
      this.watches.get(message.watchId).onEvents(message.events);
    else if (message.type === 'news' && message.news.kind === 'granted')
      this.onGranted(message.news);
    else if (message.type === 'watchOver' || message.type === 'goodbye')
      throw new Error(`${message.type}: ${message.message}`);
  }

  hearReply({ requestId, outcome }) {
    const { op, message, resolve, reject } = this.commands.get(requestId);
    if (REFUSED_FOR_NOW.has(outcome.code)) {
      setTimeout(() => this.say(message), REFUSED_PAUSE_MS);
      return;
    }
    this.commands.delete(requestId);
    if (EXPECTED.has(outcome.code)) resolve(outcome);
    else reject(new Error(`${op} was answered with ${outcome.code}: ${outcome.message}`));
  }

  /** One answer may be to several messages. */
  hearRenewal({ items }) {
    for (const { nonce, code } of items) {
      const renewal = this.renewals.get(nonce);
      if (code !== 'OK') throw new Error(`a renewal was answered with ${code}`);
      this.renewals.delete(nonce);
      renewal?.();
    }
  }
}

/** One session, with the numbers of its requests. */
class HandSession {
  constructor(link, id) {
    Object.assign(this, { link, id, nextSeq: 1 });
    // In ascending order: numbers are given out in it.
    this.undecided = new Set();
  }

  /** Its number, and a promise of what it came to. */
  ask(body) {
    const seq = this.nextSeq++;
    this.undecided.add(seq);
    const [ackedBelow] = this.undecided;
    const decided = this.link
      .command({ ...body, session: this.id, seq }, ackedBelow)
      .finally(() => this.undecided.delete(seq));
    return { seq, decided };
  }

  /** Waits without limit when the lock is held. */
  acquire(name) {
    const items = [{ name, mode: 'exclusive', permits: null }];
    return this.ask({ op: 'acquire', items, waitMs: null, meta: '{}', value: null });
  }

  release(name, acquireSeq, token) {
    return this.ask({ op: 'release', name, acquireSeq, token }).decided;
  }

  cancel(acquireSeq) {
    return this.ask({ op: 'cancel', acquireSeq }).decided;
  }
}

/** Calls `act` with 0 to count - 1, a bounded number at a time; all have resolved when it does. */
export async function forEach(count, act) {
  let next = 0;
  const worker = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: UNDECIDED_MAX }, worker));
}
