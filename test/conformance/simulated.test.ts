import { present } from '../../src/base/assert.ts';
import { createWorld } from '../../sim/world/world.ts';
import { SimDisk } from '../../sim/world/disk.ts';
import { clockSuite } from './clock.ts';
import { keyValueSuite } from './key-value.ts';
import { slotFileSuite } from './slot-file.ts';

/** A disk in a world of its own, and a way to wait for it. */
function createDisk() {
  const world = createWorld({ seed: 3 });
  const disk = new SimDisk({
    name: 'n1',
    luck: world.random,
    schedule: (delayUs, callback) => {
      const timer = world.after(delayUs, callback);
      return () => timer.cancel();
    },
  });
  // Calls made together share one run of the world.
  let running = Promise.resolve(true);
  const ask = async <T>(start: (done: (answer: T) => void) => void): Promise<T> => {
    const answers: { readonly answer: T }[] = [];
    let isInside = true;
    start((answer) => {
      if (isInside) throw new Error('a call-back ran inside its call');
      answers.push({ answer });
    });
    isInside = false;
    running = running.then(() => world.run(() => answers.length > 0));
    await running;
    return present(answers[0], 'an answer').answer;
  };
  return { disk, ask, dispose: () => {} };
}

keyValueSuite('the simulated disk', () => {
  const { disk, ...rest } = createDisk();
  return { ...rest, handle: () => disk.attach().keyValue };
});

slotFileSuite('the simulated disk', () => {
  const { disk, ...rest } = createDisk();
  return { ...rest, handle: () => disk.attach().slots[0] };
});

clockSuite('a simulated process', async (program) => {
  const world = createWorld({ seed: 5 });
  let isDone = false;
  const process = world.process({
    name: 'p',
    isSync: true,
    start: ({ clock }) => program(clock, () => (isDone = true)),
  });
  process.start();
  await world.run(() => isDone);
});
