// Listening to what happens to locks and elections.

import { US_PER_MS } from '../../src/base/units.ts';
import type { LockWatch } from '../../src/client/watch.ts';
import type { WatchTarget } from '../../src/wire/client-messages.ts';
import { electionName, lockName } from '../script/names.ts';
import { track } from './scene.ts';
import type { Scene } from './scene.ts';

/** The prefixes of watches, by `arg`. */
const PREFIXES = ['k', '', 's', 'e'] as const;

/** Listens to what happens to one lock. */
export function watchName(scene: Scene): Promise<void> {
  return listen(scene, { name: lockName(scene.op.key, scene.stage.keys), prefix: '' });
}

/** Listens to what happens to all locks, or to all of one kind. */
export function watchPrefix(scene: Scene): Promise<void> {
  return listen(scene, { name: null, prefix: PREFIXES[scene.op.arg % PREFIXES.length] ?? '' });
}

/** Listens to who leads an election. */
export async function observe(scene: Scene): Promise<void> {
  const { stage, worker, op, own } = scene;
  const name = electionName(op.key, stage.keys);
  const controller = new AbortController();
  const views = own.client.election(name).observe({ signal: controller.signal });
  const record = stage.watches.observing(worker.name, name);
  const ear = worker.beginListening(record);
  whenHeard(scene, () => {
    worker.endListening(ear);
    controller.abort();
  });
  await read(scene, `observe ${name}`, views, (view) => record.received(view));
  worker.endListening(ear);
}

/** A watch of the same locks goes on from where the last one of this client stopped. */
async function listen(scene: Scene, target: WatchTarget): Promise<void> {
  const { worker, own } = scene;
  const { name, prefix } = target;
  const what = name ?? `${prefix}*`;
  const after = worker.leftOff.get(what);
  const watch = own.client.watch({
    ...(name === null ? { prefix } : { name }),
    ...(after === undefined ? {} : { after }),
  });
  whenHeard(scene, () => watch.close());
  await hear(scene, { watch, target, what });
}

async function hear(
  scene: Scene,
  { watch, target, what }: { watch: LockWatch; target: WatchTarget; what: string },
): Promise<void> {
  const { stage, worker } = scene;
  const revision = await track(scene, `watch ${what}`, { codes: [] }, () => watch.ready());
  const record = stage.watches.watching(worker.name, target, revision);
  const ear = worker.beginListening(record);
  await read(scene, `watch ${what}`, watch, (notice) => {
    record.received(notice);
    worker.leftOff.set(what, watch.revision);
  });
  worker.endListening(ear);
}

// Who still listens as all is healed goes on to: only so it shows that it is told of everything.
function whenHeard({ stage, op, own }: Scene, end: () => void): void {
  own.clock.after(op.holdMs * US_PER_MS, () => {
    if (!stage.isWindingDown()) end();
  });
}

/** To the end: its own, that of the client, or that of the process. */
async function read<Item>(
  { stage, worker }: Scene,
  what: string,
  items: AsyncIterable<Item>,
  take: (item: Item) => void,
): Promise<void> {
  try {
    for await (const item of items) take(item);
  } catch (error) {
    stage.calls.judge(error, { what: `${worker.name}: ${what}`, codes: [] });
  }
}
