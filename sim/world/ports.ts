// What a program is given of its world.

import type { Clock } from '../../src/ports/clock.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Random } from '../../src/ports/random.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { createClock } from './clock.ts';
import { createLogger } from './log-lines.ts';
import type { LogLine } from './log-lines.ts';
import type { Network } from './network.ts';
import type { Life } from './process.ts';
import type { KeyedRandom } from './random.ts';

/** What a thread is given. */
export interface ThreadPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly life: Life;
}

/** What a program is given when its process starts, in its main thread. */
export interface ProcessPorts extends ThreadPorts {
  readonly logger: Logger;
  /** Another event loop of the same process; see Life. */
  beginThread(): ThreadPorts;
  /** Ends one, and its links as those of a process that dies. */
  endThread(thread: Life): void;
}

/** Where ports lead to. */
export interface PortsEnvironment {
  readonly random: KeyedRandom;
  readonly network: Network;
  readonly logLines: LogLine[];
  readonly nowUs: () => number;
}

/** The ports of the main thread of this life. */
export function processPorts(life: Life, environment: PortsEnvironment): ProcessPorts {
  const { network, logLines, nowUs } = environment;
  const { name } = life.process;
  return {
    ...threadPorts(life, name, environment),
    logger: createLogger(logLines, name, nowUs),
    beginThread: () => {
      const thread = life.beginThread();
      return threadPorts(thread, `${name} thread ${life.all.length - 1}`, environment);
    },
    endThread: (thread) => {
      if (!thread.isAlive) return;
      thread.die();
      network.died(thread, false);
    },
  };
}

/** `luck`: whose randomness it is. */
function threadPorts(life: Life, luck: string, { random, network }: PortsEnvironment): ThreadPorts {
  return {
    life,
    clock: createClock(life, life.process.clock),
    random: random.port(luck, life.incarnation),
    transport: network.transport(life),
  };
}
