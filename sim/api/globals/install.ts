// Puts the globals of simulated worlds in place of Node's, and takes them away again. Whoever is
// outside of all worlds does not notice: their calls go on to the real ones.

import { syncBuiltinESMExports } from 'node:module';
import { Shared } from '../shared.ts';
import { AMBIENT } from './ambient.ts';
import { CHANCE } from './chance.ts';
import { CLOCKS } from './clocks.ts';
import type { Replacement } from './dispatch.ts';
import { TIMERS } from './timers.ts';
import { TURNS } from './turns.ts';

const REPLACEMENTS: readonly Replacement[] = [
  ...TIMERS,
  ...CLOCKS,
  ...CHANCE,
  ...TURNS,
  ...AMBIENT,
];

/** Puts one property back as it was. */
type Restore = () => void;

class Installation {
  private readonly made = new Map<
    Replacement,
    { readonly real: unknown; readonly value: unknown }
  >();

  /** Gives the way to take them away again. */
  install(): () => void {
    const restores = REPLACEMENTS.flatMap((replacement) => this.replace(replacement));
    // Imports by name from built-in modules look elsewhere than at these objects.
    syncBuiltinESMExports();
    return () => {
      for (const restore of restores.toReversed()) restore();
      syncBuiltinESMExports();
    };
  }

  private replace(replacement: Replacement): readonly Restore[] {
    const { target, name } = replacement;
    const holder = holderOf(target, name);
    if (holder === null) return [];
    const before = Object.getOwnPropertyDescriptor(holder, name);
    if (before === undefined) return [];
    if (before.configurable !== true && before.writable !== true) return [];
    const real: unknown = Reflect.get(target, name);
    const value = this.valueFor(replacement, real);
    if (value === real) return [];
    if (before.writable === true) {
      Reflect.set(holder, name, value);
      return [() => void Reflect.set(holder, name, real)];
    }
    const { enumerable = false } = before;
    const shape = { configurable: true, enumerable, writable: true };
    Object.defineProperty(holder, name, { ...shape, value });
    return [() => void Object.defineProperty(holder, name, before)];
  }

  private valueFor(replacement: Replacement, real: unknown): unknown {
    const known = this.made.get(replacement);
    if (known !== undefined && known.real === real) return known.value;
    const value = replacement.make(real);
    this.made.set(replacement, { real, value });
    return value;
  }
}

const installation = new Installation();

/** They are in place while somebody is in. */
export const worldGlobals = new Shared(() => installation.install());

function holderOf(target: object, name: string): object | null {
  let holder: object | null = target;
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Reflect.getPrototypeOf(holder);
  return holder;
}
