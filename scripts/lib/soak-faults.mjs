// Faults on a local cluster. Each resolves when the cluster is whole again: every node runs and
// follows one leader with all that it had committed. Only processes of this run are touched.

import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { fetchStatus, sleep, until } from './local-cluster.mjs';

const BUSY = fileURLToPath(new URL('./soak-busy.mjs', import.meta.url));
/** Processes of a burst that want a processor each, for every processor. */
const BUSY_EACH = 2;
/** How often a command is given that a busy cluster may refuse. */
const ATTEMPTS = 5;
const AGAIN_MS = 1_000;
/** After a fault the cluster must be whole again within this. */
const WHOLE_MS = 60_000;

/** Does faults one after the other. The node `steadyId` is never ended. */
export class Faults {
  #helpers = new Set();

  /** `onSpawn(id)` after a node was started; `harm` and `useAddresses` are done by the load. */
  constructor({ cluster, steadyId, onSpawn, harm, useAddresses }) {
    Object.assign(this, { cluster, steadyId, onSpawn, harm, useAddresses });
    this.nextNumber = cluster.nodes.length + 1;
  }

  /** What was done, for the report. */
  async run(fault) {
    const done = await this.#act(fault);
    const leader = await this.cluster.waitAll(WHOLE_MS);
    return { ...done, leader: leader.id, term: leader.term };
  }

  /** Ends what a fault has started, at once. */
  kill() {
    for (const child of this.#helpers) child.kill('SIGKILL');
  }

  #act(fault) {
    switch (fault.kind) {
      case 'kill-leader':
        return this.#kill(fault, true);
      case 'kill-follower':
        return this.#kill(fault, false);
      case 'pause-leader-short':
      case 'pause-leader-long':
        return this.#pause(fault, true);
      case 'pause-follower-short':
      case 'pause-follower-long':
        return this.#pause(fault, false);
      case 'rolling-restart':
        return this.#restartAll(fault);
      case 'transfer':
        return this.#transfer(fault);
      case 'replace':
        return this.#replace(fault);
      case 'client-kill':
        return this.harm({ ...fault, isKill: true });
      case 'client-pause':
        return this.harm({ ...fault, isKill: false });
      case 'burst':
        return this.#burst(fault);
      default:
        throw new Error(`there is no fault ${fault.kind}`);
    }
  }

  async #kill(fault, isLeader) {
    const id = isLeader ? await this.#mortalLeader(fault) : await this.#mortalFollower(fault);
    await this.cluster.kill(id, 'SIGKILL');
    await sleep(fault.lengthMs);
    this.#spawn(id);
    return { node: id };
  }

  async #pause(fault, isLeader) {
    const leader = (await this.cluster.waitLeader()).id;
    const others = this.cluster.nodes.map(({ id }) => id).filter((id) => id !== leader);
    const id = isLeader ? leader : pick(others, fault);
    const { pid } = this.cluster.processes.get(id);
    process.kill(pid, 'SIGSTOP');
    try {
      await sleep(fault.lengthMs);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    return { node: id };
  }

  async #restartAll() {
    const ids = this.#mortals();
    for (const id of ids) {
      await this.#stop(id);
      this.#spawn(id);
      await this.cluster.waitAll();
    }
    return { node: ids.join(' ') };
  }

  async #stop(id) {
    const child = this.cluster.processes.get(id);
    const { code, signal } = await this.cluster.kill(id, 'SIGTERM');
    if (code !== 0) throw new Error(`${id} ended with ${code ?? signal}: ${child.lastLog()}`);
  }

  async #transfer(fault) {
    const leader = (await this.cluster.waitLeader()).id;
    const others = this.cluster.nodes.map(({ id }) => id).filter((id) => id !== leader);
    const id = pick(others, fault);
    const isDone = await this.#handOver(id);
    return { node: `${leader} to ${id}${isDone ? '' : ' (refused)'}` };
  }

  /** Whether that node leads now; a busy one may be refused, and then all stays as it was. */
  async #handOver(id) {
    try {
      await this.cluster.command('transfer', id);
      return true;
    } catch (error) {
      if (/UNAVAILABLE|OUTCOME_UNKNOWN/.test(error.message)) return false;
      throw error;
    }
  }

  /** By an empty node under a new id; every second time the old one is dead before. */
  async #replace(fault) {
    const id = pick(this.#mortals(), fault);
    const isDead = this.nextNumber % 2 === 0;
    const joiner = await this.cluster.addBlank(`n${this.nextNumber}`);
    this.nextNumber += 1;
    this.onSpawn(joiner.id);
    if (isDead) await this.cluster.kill(id, 'SIGKILL');
    const refusals = await this.#exchange(id, joiner);
    if (!isDead) await this.#left(id);
    await this.cluster.retire(id);
    await this.useAddresses(this.cluster.addresses);
    return { node: `${id}${isDead ? ' (dead)' : ''} by ${joiner.id}`, refusals };
  }

  /** As its manual says: if it is refused, it is run again. What it was told before it was done. */
  async #exchange(id, joiner) {
    const refusals = [];
    for (;;) {
      try {
        await this.cluster.command('member', 'replace', id, `${joiner.id}=${joiner.address}`);
        return refusals;
      } catch (error) {
        refusals.push(error.message);
        if (refusals.length === ATTEMPTS) throw error;
        await sleep(AGAIN_MS);
      }
    }
  }

  #left(id) {
    const { address } = this.cluster.nodes.find((node) => node.id === id);
    return until(`${id} to know that it left`, async () => {
      const status = await fetchStatus(address);
      return status?.membership === 'removed' || status?.membership === 'none';
    });
  }

  async #burst({ lengthMs }) {
    const children = Array.from({ length: cpus().length * BUSY_EACH }, () => {
      const child = spawn(process.execPath, [BUSY, String(lengthMs)], { stdio: 'ignore' });
      this.#helpers.add(child);
      return child;
    });
    await Promise.all(children.map((child) => new Promise((resolve) => child.on('exit', resolve))));
    for (const child of children) this.#helpers.delete(child);
    return { node: `${children.length} processes` };
  }

  #spawn(id) {
    this.cluster.spawn(id);
    this.onSpawn(id);
  }

  #mortals() {
    return this.cluster.nodes.map(({ id }) => id).filter((id) => id !== this.steadyId);
  }

  /** The leader; if that is the node that lives on, it hands over first. */
  async #mortalLeader(fault) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { id } = await this.cluster.waitAll();
      if (id !== this.steadyId) return id;
      await this.#handOver(pick(this.#mortals(), fault));
    }
    throw new Error(`${this.steadyId} does not hand over`);
  }

  async #mortalFollower(fault) {
    const { id: leader } = await this.cluster.waitLeader();
    return pick(
      this.#mortals().filter((id) => id !== leader),
      fault,
    );
  }
}

const pick = (list, { chance }) => list[Math.floor(chance * list.length)];
