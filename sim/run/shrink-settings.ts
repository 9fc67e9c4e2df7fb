// Shrinking what a script runs on: every setting back to its default.

import { CLOCKS, KNOBS, NET, NO_PAST } from '../script/ranges.ts';
import type { Clocks, Script } from '../script/types.ts';
import type { ShrinkSearch } from './shrink-search.ts';

/** The settings of the script, with all of them at their defaults. */
export function plainSettings({ knobs, net }: Script): Partial<Script> {
  return {
    past: NO_PAST,
    knobs: { ...knobs, ...plain(KNOBS) },
    net: { ...net, ...plain(NET), shuffleTies: false },
    clocks: exactClocks(),
    hasHoles: false,
  };
}

/** All settings to their defaults: a whole part of the script if that will do, else one by one. */
export async function makePlain(search: ShrinkSearch): Promise<void> {
  await forgetPast(search);
  const knobs = plain(KNOBS);
  const net = { ...plain(NET), shuffleTies: false };
  if (!(await search.accepts({ knobs: { ...search.best.knobs, ...knobs } }))) {
    for (const one of singly(knobs)) {
      await search.accepts({ knobs: { ...search.best.knobs, ...one } });
    }
  }
  if (!(await search.accepts({ net: { ...search.best.net, ...net } }))) {
    for (const one of singly(net)) await search.accepts({ net: { ...search.best.net, ...one } });
  }
  await search.accepts({ hasHoles: false });
  await straightenClocks(search);
}

async function forgetPast(search: ShrinkSearch): Promise<void> {
  if (search.best.past.restores === 0 || (await search.accepts({ past: NO_PAST }))) return;
  for (const one of [{ restores: 1 }, { deadMs: 0 }, { raisedMs: 0 }] as const) {
    await search.accepts({ past: { ...search.best.past, ...one } });
  }
}

async function straightenClocks(search: ShrinkSearch): Promise<void> {
  const exact = exactClocks();
  if (await search.accepts({ clocks: exact })) return;
  await search.accepts({ clocks: { ...search.best.clocks, driftPpm: [] } });
  await search.accepts({ clocks: { ...search.best.clocks, bound: 'within' } });
  const times = { latenessUs: exact.latenessUs, earlyUs: exact.earlyUs };
  for (const one of singly(times)) {
    await search.accepts({ clocks: { ...search.best.clocks, ...one } });
  }
  for (let at = search.best.clocks.driftPpm.length - 1; at >= 0; at--) {
    const { clocks } = search.best;
    const isLast = at === clocks.driftPpm.length - 1;
    const driftPpm = isLast
      ? clocks.driftPpm.slice(0, at)
      : clocks.driftPpm.map((drift, place) => (place === at ? 0 : drift));
    await search.accepts({ clocks: { ...clocks, driftPpm } });
  }
}

function exactClocks(): Clocks {
  const latenessUs = CLOCKS.latenessUs[0];
  const earlyUs = CLOCKS.earlyUs[0];
  return { bound: 'within', driftPpm: [], latenessUs, earlyUs };
}

/** The first of every choice, which is the default. */
function plain(
  choices: Readonly<Record<string, readonly number[]>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first ?? 0]));
}

function singly<Value>(
  settings: Readonly<Record<string, Value>>,
): readonly Readonly<Record<string, Value>>[] {
  return Object.entries(settings).map(([name, value]) => ({ [name]: value }));
}
