// Live sessions that do nothing but stay alive: what they cost the leader. Sessions are opened and
// renewed over a few links that each carry many, at a third of the TTL, spread over the time.
//
//   node scripts/bench-sessions.mjs [--sessions 100000] [--links 64] [--ttl 15] [--seconds 60]
//                                   [--json]

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createWsTransport } from '../dist/adapters/ws-transport.js';
import { decodeNodeMessages, encodeClientMessages } from '../dist/wire/client.js';
import { encodeBody } from '../dist/wire/command.js';
import { startCluster, until } from './lib/local-cluster.mjs';
import { cpuSeconds, quantile, residentMib, round } from './lib/measuring.mjs';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100000' },
    links: { type: 'string', default: '64' },
    ttl: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
const sessionCount = Number(values.sessions);
const linkCount = Number(values.links);
const ttlMs = Number(values.ttl) * 1_000;
const seconds = Number(values.seconds);

const UNDECIDED_MAX = 64;
/** Each link renews its sessions in so many portions, one after the other. */
const PORTIONS = 10;

/** One link of a client that carries many sessions. */
class Carrier {
  constructor(link, number) {
    Object.assign(this, { link, number, sessions: [], lost: 0, latenciesMs: [] });
    this.sentAt = new Map();
    this.nonce = 0;
    this.onOpened = () => {};
    this.onRefused = () => {};
    link.onFrame = (frame) => decodeNodeMessages(frame).forEach((message) => this.hear(message));
    link.onClose = (reason) => {
      throw new Error(`a link was closed: ${reason}`);
    };
    const hello = { type: 'hello', versionMin: 1, versionMax: 1, clusterId: null, name: 'bench' };
    this.say([hello]);
  }

  say(messages) {
    this.link.send(encodeClientMessages(messages));
  }

  open(count) {
    return new Promise((resolve) => {
      let asked = 0;
      let refused = 0;
      // Nothing was done for it: asked again, as any client would.
      this.onRefused = () => {
        refused += 1;
        setTimeout(ask, 50);
      };
      const ask = () => {
        while (asked - refused < count && asked - refused - this.sessions.length < UNDECIDED_MAX) {
          asked += 1;
          const nonce = Buffer.from(`${String(this.number)}.${String(asked)}`.padStart(12, '-'));
          const body = encodeBody({
            op: 'openSession',
            nonce: nonce.toString('base64url'),
            ttlMs,
            lockDelayMs: 0,
            name: 'idle',
            meta: '{}',
          });
          this.say([{ type: 'command', requestId: asked, ackedBelow: 0, body }]);
        }
        if (this.sessions.length === count) resolve();
      };
      this.onOpened = ask;
      ask();
    });
  }

  renew(portion) {
    const items = [];
    for (let at = portion; at < this.sessions.length; at += PORTIONS) {
      items.push({ session: this.sessions[at], nonce: ++this.nonce });
    }
    this.sentAt.set(this.nonce, performance.now());
    if (items.length > 0) this.say([{ type: 'keepAlive', items }]);
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
        this.latenciesMs.push(performance.now() - sentAt);
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

async function dialAll(transport, address) {
  const carriers = [];
  for (let n = 0; n < linkCount; n++) {
    carriers.push(new Carrier(await dial(transport, address), n));
  }
  return carriers;
}

const cluster = await startCluster({ nodeOptions: { logLevel: 'warn' } });
const transport = createWsTransport({});
try {
  const leader = await cluster.waitAll();
  const address = cluster.nodes.find(({ id }) => id === leader.id).address;
  const { pid } = cluster.processes.get(leader.id);
  const emptyMib = await residentMib(pid);
  const carriers = await dialAll(transport, address);
  const began = performance.now();
  const share = Math.ceil(sessionCount / linkCount);
  const beat = () => {
    const portion = Math.floor((performance.now() / (ttlMs / 3 / PORTIONS)) % PORTIONS);
    for (const carrier of carriers) carrier.renew(portion);
  };
  const heart = setInterval(beat, ttlMs / 3 / PORTIONS);
  await Promise.all(carriers.map((carrier) => carrier.open(share)));
  const openedS = (performance.now() - began) / 1_000;
  for (const carrier of carriers) carrier.latenciesMs.length = 0;
  const cpuBefore = await cpuSeconds(pid);
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const elapsedS = (performance.now() - start) / 1_000;
  const cpuShare = ((await cpuSeconds(pid)) - cpuBefore) / elapsedS;
  const mib = await residentMib(pid);
  clearInterval(heart);
  const opened = carriers.reduce((sum, carrier) => sum + carrier.sessions.length, 0);
  const status = await until('a status', async () => (await cluster.waitLeader()) ?? null);
  const latencies = carriers
    .flatMap(({ latenciesMs }) => latenciesMs)
    .sort((left, right) => left - right);
  report({
    links: linkCount,
    opened,
    alive: status.sessions,
    lost: carriers.reduce((sum, carrier) => sum + carrier.lost, 0),
    isSameLeader: status.id === leader.id,
    openedPerSecond: Math.round(opened / openedS),
    leaderCpu: round(cpuShare),
    cpuUsPerRenewal: round((cpuShare * 1e6) / (opened / (ttlMs / 3_000))),
    emptyMib,
    leaderMib: mib,
    renewalP50Ms: round(quantile(latencies, 0.5)),
    renewalP99Ms: round(quantile(latencies, 0.99)),
  });
} finally {
  transport.close(() => {});
  await cluster.stop();
  await cluster.remove();
}

function report(row) {
  if (values.json) return console.log(JSON.stringify(row));
  console.log(`${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`);
  console.log(
    `${row.opened} sessions of ${ttlMs / 1_000} s over ${row.links} links, ${seconds} s: ` +
      `alive ${row.alive}, lost ${row.lost}, ${row.isSameLeader ? 'one leader' : 'ANOTHER LEADER'}`,
  );
  console.log(
    `leader: ${Math.round(row.leaderCpu * 100)} % of a core (${row.cpuUsPerRenewal} µs a ` +
      `renewal), ${row.emptyMib} MiB before, ${row.leaderMib} MiB with them; ` +
      `renewal p50 ${row.renewalP50Ms} ms, p99 ${row.renewalP99Ms} ms; ` +
      `opened ${row.openedPerSecond}/s`,
  );
}
