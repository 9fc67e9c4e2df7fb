// What every process of a soak uses, every few seconds: memory, descriptors, disk, log, processor.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchStatus } from './local-cluster.mjs';
import { cpuSeconds, residentMib, round } from './measuring.mjs';

const MIB = 1024 * 1024;

/** Hears what the nodes tell, and looks at them from outside. */
export class Sampler {
  samples = [];
  #startMs = performance.now();
  #heard = new Map();
  #cpu = new Map();

  /** `onViolation` is told in a sentence. */
  constructor(cluster, onViolation) {
    this.cluster = cluster;
    this.onViolation = onViolation;
    for (const { id } of cluster.nodes) this.listen(id);
  }

  /** Hears a process of a node that has just been started. */
  listen(id) {
    const child = this.cluster.processes.get(id);
    const heard = { loopStopMs: 0, checkpoints: 0, memory: {} };
    this.#heard.set(child.pid, heard);
    child.once('exit', (code, signal) => {
      this.#heard.delete(child.pid);
      // Nobody has sent it a signal.
      if (!child.killed) this.onViolation(`${id} ended by itself: ${code ?? signal}`);
    });
    let rest = '';
    child.stderr.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) note(heard, line);
    });
  }

  /** One sample of each node that runs, and of the load; `memory` is the load's own account. */
  async take({ loadPid, memory }) {
    const nodes = [...this.cluster.processes].filter(([, { pid }]) => this.#heard.has(pid));
    const taken = await Promise.all(nodes.map(([id, child]) => this.#sampleNode(id, child.pid)));
    taken.push(await this.#sampleProcess('load', loadPid, memory));
    const whole = taken.filter((sample) => sample !== null);
    this.samples.push(...whole);
    return whole;
  }

  async #sampleNode(id, pid) {
    const { address } = this.cluster.nodes.find((node) => node.id === id);
    const heard = this.#heard.get(pid);
    const { loopStopMs, checkpoints, memory } = heard;
    heard.loopStopMs = 0;
    const sample = await this.#sampleProcess(id, pid, memory);
    if (sample === null) return null;
    const status = await fetchStatus(address);
    return {
      ...sample,
      ...(await sizeOf(join(this.cluster.dataDir, id))),
      loopStopMs,
      checkpoints,
      role: status?.role ?? null,
      term: status?.term ?? null,
      logEntries: status === null ? null : status.applied - status.anchor,
      sessions: status?.sessions ?? null,
      locks: status?.locks ?? null,
    };
  }

  /** null when the process ends meanwhile. */
  async #sampleProcess(node, pid, memory) {
    const atMs = Math.round(performance.now() - this.#startMs);
    try {
      const [resident, descriptors, cpu] = await Promise.all([
        residentMib(pid),
        readdir(`/proc/${pid}/fd`).then((list) => list.length),
        cpuSeconds(pid),
      ]);
      return {
        node,
        pid,
        atMs,
        residentMib: resident,
        heapMib: memory.heapMib ?? null,
        heapAfterGcMib: memory.heapAfterGcMib ?? null,
        externalMib: memory.externalMib ?? null,
        descriptors,
        cpu: this.#cpuShare(pid, { cpu, atMs }),
      };
    } catch {
      return null;
    }
  }

  /** Of one processor, since the last sample of this process. */
  #cpuShare(pid, now) {
    const before = this.#cpu.get(pid);
    this.#cpu.set(pid, now);
    if (before === undefined || now.atMs === before.atMs) return null;
    return round((now.cpu - before.cpu) / ((now.atMs - before.atMs) / 1_000));
  }
}

function note(heard, line) {
  if (line.startsWith('{"loopStopMs"')) {
    const { loopStopMs, ...memory } = JSON.parse(line);
    heard.loopStopMs = Math.max(heard.loopStopMs, loopStopMs);
    heard.memory = memory;
  } else if (line.includes('"msg":"Checkpoint"')) {
    heard.checkpoints += 1;
  }
}

/** Bytes and files below a directory; what disappears meanwhile does not count. */
async function sizeOf(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { diskMib: round(bytes / MIB), files: files.length };
}
