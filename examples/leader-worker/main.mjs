// Two workers on a real cluster, of whom one leads.   node examples/leader-worker/main.mjs

import { withCluster } from '../cluster.mjs';
import { lead } from './worker.mjs';

const STEPS = ['open', 'fill', 'drain', 'close'];

await withCluster(async (connectAs) => {
  const begin = async (name) => {
    const client = await connectAs(name);
    const valve = { turn: ({ step, token }) => console.log(`${name}: ${step} (token ${token})`) };
    const pause = (signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, 50);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    await lead({ client, valve, steps: STEPS, pause });
  };
  await Promise.all([begin('north'), begin('south')]);
  console.log('both have led');
});
