// What runs by itself: microtasks that throw, and what programs log.

import process from 'node:process';
import { format } from 'node:util';
import { grounds } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { isCallable } from './dispatch.ts';
import type { Replacement } from './dispatch.ts';

const LEVELS = ['log', 'info', 'debug', 'warn', 'error'];

/** An error in it is that of the program, not the end of this process. */
function catching(real: unknown): unknown {
  if (!isCallable(real)) return real;
  return new Proxy(real, {
    apply: (target, self, given) => {
      const ground = grounds.getStore();
      const [run, ...rest] = given;
      if (ground === undefined || !isCallable(run)) return Reflect.apply(target, self, given);
      return Reflect.apply(target, self, [() => caught(ground, () => run(...rest))]);
    },
  });
}

function caught({ world, ...ground }: Ground, run: () => void): void {
  try {
    run();
  } catch (error) {
    world.onUncaught({ world, ...ground }, error);
  }
}

function logging(real: unknown): unknown {
  if (!isCallable(real)) return real;
  return new Proxy(real, {
    apply: (target, self, given) => {
      const ground = grounds.getStore();
      if (ground === undefined) return Reflect.apply(target, self, given);
      const text = format(...given);
      const prefix = ground.world.onLog(ground, text);
      if (prefix === null) return undefined;
      return grounds.exit(() => Reflect.apply(target, self, [`${prefix} ${text}`]));
    },
  });
}

/** See the head of this file. */
export const TURNS: readonly Replacement[] = [
  { target: globalThis, name: 'queueMicrotask', make: catching },
  { target: process, name: 'nextTick', make: catching },
  ...LEVELS.map((name) => ({ target: console, name, make: logging })),
];
