// How a global finds out on whose behalf it is used.

import { grounds } from '../ground.ts';
import type { OwnGround } from '../ground.ts';
import { callerPlace } from './place.ts';

/** A property that is replaced while there are worlds. Outside of them it is as it was. */
export interface Replacement {
  readonly target: object;
  readonly name: string;
  /** What takes the place of the real one. */
  readonly make: (real: unknown) => unknown;
}

/** Any function. */
export type Callable = (...given: unknown[]) => unknown;

/** The process that calls; null outside of worlds. Refuses whoever has no such thing. */
export function ownOrOutside(what: string): OwnGround | null {
  const ground = grounds.getStore();
  if (ground === undefined) return null;
  const { own } = ground;
  if (own !== null && own.isVirtual) return own;
  const hint =
    own === null
      ? 'the cluster must not'
      : `its globals are refused: use what its program is given`;
  return refusedUnlessNode(what, hint) ? null : own;
}

/** Throws when code of a world calls this; returns outside of worlds, and for Node itself. */
function refuseInside(what: string, hint: string): void {
  if (grounds.getStore() !== undefined) refusedUnlessNode(what, hint);
}

/** True: Node itself calls, for purposes of its own. Throws for all others. */
function refusedUnlessNode(what: string, hint: string): boolean {
  const ground = grounds.getStore();
  if (ground === undefined) return true;
  const { text, isNode } = callerPlace();
  if (isNode) return true;
  throw ground.world.refuse(ground, `used ${what} at ${text}: ${hint}`);
}

/** A function of which calls inside of worlds are answered by `inside`. */
export function dispatching(
  what: string,
  inside: (own: OwnGround, given: readonly unknown[], real: Callable) => unknown,
): (real: unknown) => unknown {
  return (real) => {
    if (!isCallable(real)) return real;
    return new Proxy(real, {
      apply: (target, self, given) => {
        const own = ownOrOutside(what);
        return own === null ? Reflect.apply(target, self, given) : inside(own, given, target);
      },
    });
  };
}

/** A function or class that is refused inside of worlds. */
export function refusing(what: string, hint: string): (real: unknown) => unknown {
  return (real) => {
    if (!isCallable(real)) return real;
    return new Proxy(real, {
      apply: (target, self, given) => {
        refuseInside(what, hint);
        return Reflect.apply(target, self, given);
      },
      construct: (target, given, made) => {
        refuseInside(`new ${what}`, hint);
        return Object(Reflect.construct(target, given, made));
      },
    });
  };
}

/** Whether it is a function, or a class. */
export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}
