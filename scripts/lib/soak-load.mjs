// The load of a soak, in a process of its own (bench/load/process.mjs calls it): an open loop of
// turns over many sessions, clients to be harmed, a watch, and the store that the locks protect.

import { connect } from '../../dist/src/index.js';
import { drawer } from './soak-draw.mjs';
import { watchHeap } from './soak-heap.mjs';
import { KeptLocks } from './soak-kept.mjs';
import { Pace } from './soak-pace.mjs';
import { FencedStore } from './soak-store.mjs';
import { Tally } from './soak-tally.mjs';
import { takeTurn } from './soak-turns.mjs';
import { Victims } from './soak-victims.mjs';
import { SoakWatch } from './soak-watch.mjs';
import { until } from './local-cluster.mjs';

const PREFIX = 'soak/';
const SESSIONS = 32;
const VICTIMS = 3;
const UNDER_WAY_MAX = 20_000;
const LOOK_MS = 50;
const DRAIN_MS = 90_000;
const LIST_MAX = 1_000;

/** Everything is open and the victims hold their locks when this resolves. */
export async function prepare({ addresses, seed, ratePerSecond }) {
  const load = new SoakLoad({ addresses, seed, ratePerSecond });
  process.once('exit', () => load.victims?.kill());
  process.once('SIGTERM', () => process.exit());
  await load.begin();
  return load;
}

class SoakLoad {
  underWay = 0;
  heap = watchHeap();

  constructor({ addresses, seed, ratePerSecond }) {
    this.ratePerSecond = ratePerSecond;
    const tally = new Tally();
    this.tally = tally;
    this.world = {
      addresses,
      prefix: PREFIX,
      tally,
      store: new FencedStore((text) => tally.violate(text)),
      draw: drawer(seed),
      members: [],
      /** Numbers of locks that nobody else uses at the moment. */
      free: [],
      ownCount: 0,
      watched: `${PREFIX}contended/`,
      watchedGrants: 0,
    };
  }

  async begin() {
    const { world, tally } = this;
    const violate = (text) => tally.violate(text);
    const open = (name) => connect({ nodes: world.addresses, name });
    const openAll = (count, name) =>
      Promise.all(Array.from({ length: count }, (_, n) => open(`${name}-${n}`)));
    for (const [n, client] of (await openAll(SESSIONS, 'soak')).entries()) {
      const kept = new KeptLocks(`${PREFIX}kept/${n}`, (text) => tally.miss(text));
      world.members.push({ client, kept });
    }
    this.rivals = await openAll(VICTIMS, 'rival');
    this.victims = new Victims(world, this.rivals);
    await this.victims.begin();
    this.watch = new SoakWatch(world.members[0].client, world.watched, violate);
    await this.watch.begin();
  }

  /** The load begins. */
  start() {
    this.looking = setInterval(() => this.tally.look(), LOOK_MS);
    this.pace = new Pace({
      ratePerSecond: this.ratePerSecond,
      draw: this.world.draw,
      begin: (meantMs) => void this.turn(meantMs),
    });
  }

  async turn(meantMs) {
    if (this.underWay === UNDER_WAY_MAX) return this.tally.miss('too many turns are under way');
    this.underWay += 1;
    await takeTurn(this.world, meantMs);
    this.underWay -= 1;
  }

  beginFault(number) {
    this.tally.begin(number);
  }

  endFault() {
    this.tally.over();
  }

  useAddresses(addresses) {
    this.world.addresses = addresses;
  }

  harm(fault) {
    return this.victims.harm(fault);
  }

  /** How it stands. */
  look() {
    const { store } = this.world;
    return {
      ...this.tally.told(),
      underWay: this.underWay,
      written: store.written,
      refused: store.refused,
      watch: { heard: this.watch.heard, gaps: this.watch.gaps },
      watchedGrants: this.world.watchedGrants,
      memory: this.heap(),
    };
  }

  /** No more turns; resolves when those under way are answered. */
  async finish() {
    this.pace.stop();
    try {
      await until('every turn to end', () => this.underWay === 0, DRAIN_MS);
    } catch {
      this.tally.miss(`${this.underWay} turns did not end within ${DRAIN_MS} ms`);
    }
    clearInterval(this.looking);
    await this.victims.end();
    await this.watch.hear(this.world.watchedGrants);
  }

  /** What is listed must be what was acknowledged. */
  async verify() {
    const listed = new Map();
    for (let after; ;) {
      const options = { prefix: `${PREFIX}kept/`, limit: LIST_MAX };
      if (after !== undefined) options.after = after;
      const page = await this.world.members[0].client.list(options);
      for (const { name, holder } of page.locks) listed.set(name, holder?.token ?? null);
      after = page.locks.at(-1)?.name;
      if (!page.hasMore) break;
    }
    let heldCount = 0;
    for (const { kept } of this.world.members) {
      kept.isOver = true;
      const { held, unknown } = kept.expected();
      heldCount += held.length;
      for (const [name, token] of held) this.compare(name, token, listed);
      for (const name of unknown) listed.delete(name);
    }
    for (const name of listed.keys()) this.tally.violate(`${name} is listed and was given back`);
    return heldCount;
  }

  compare(name, token, listed) {
    const seen = listed.get(name);
    listed.delete(name);
    if (seen === token) return;
    this.tally.violate(`${name} was granted with token ${token}, listed is ${seen}`);
  }

  async close() {
    await this.watch.end();
    const clients = [...this.world.members.map(({ client }) => client), ...this.rivals];
    await Promise.all(clients.map((client) => client.close()));
  }
}
