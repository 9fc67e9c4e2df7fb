// Processes that make load (load/process.mjs), and calls to them. What they use of the processor is
// told apart from what the servers use.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../load/process.mjs', import.meta.url));

/** Processes that run the same program, each with a share of the work. */
export class Crew {
  constructor(members) {
    this.members = members;
  }

  /** One process for each spec; all of them have prepared themselves when this resolves. */
  static async start(program, specs) {
    const crew = new Crew(specs.map(() => new Member()));
    try {
      await Promise.all(
        crew.members.map((member, at) => member.call('prepare', [program, specs[at]])),
      );
    } catch (error) {
      crew.end();
      throw error;
    }
    return crew;
  }

  /** Calls a method of the program in all processes at once; answers in their order. */
  all(method, ...args) {
    return Promise.all(this.members.map((member) => member.call(method, args)));
  }

  /** Closes what they have opened, then ends them. */
  async close() {
    await this.all('close');
    this.end();
  }

  /** Ends the processes as they are. */
  end() {
    for (const { child } of this.members) child.kill('SIGKILL');
  }
}

class Member {
  constructor() {
    this.child = fork(PROGRAM);
    this.pending = new Map();
    this.nextId = 1;
    this.child.on('message', ({ id, error, ...answer }) => {
      const { resolve, reject } = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    this.child.on('error', (error) => this.fail(error));
    this.child.on('exit', (code, signal) =>
      this.fail(new Error(`a process of the load ended with ${signal ?? code}`)),
    );
  }

  fail(error) {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }

  /** Resolves with `value`, what it took of the processor, and the memory that is in use then. */
  call(method, args) {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.pending.set(id, { resolve, reject });
      this.child.send({ id, method, args });
    });
  }
}
