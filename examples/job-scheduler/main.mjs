// Two schedulers on a real cluster.   node examples/job-scheduler/main.mjs

import { withCluster } from '../cluster.mjs';
import { fencedStore } from '../store.mjs';
import { schedule } from './scheduler.mjs';

await withCluster(async (connectAs) => {
  const ledger = fencedStore('ledger');
  const begin = async (name) => {
    const client = await connectAs(name);
    const run = async (tick) => {
      console.log(`${name} makes report ${tick}`);
      return `report ${tick}`;
    };
    await schedule({ client, ledger, run, ticks: 4 });
  };
  await Promise.all([begin('monday'), begin('tuesday')]);
  console.log(`the last of them: ${ledger.value.report}`);
});
