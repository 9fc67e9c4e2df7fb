import { createSystemRandom } from '../adapters/system-random.ts';
import { Admin } from '../client/admin.ts';
import { resolveAddresses } from './addresses.ts';
import { note, visible } from './output.ts';
import { withPorts } from './node-ports.ts';
import type { ClusterOptions } from './program.ts';
import { noteLogger, userName } from './with-client.ts';

/** How long to look for a leader that answers: several fail-overs. */
const PATIENCE_MS = 10_000;

/** Runs `work` with the administration of a cluster and closes it afterwards. */
export async function withAdmin<T>(
  options: ClusterOptions,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const nodes = await resolveAddresses(options, process.env);
  return withPorts(async (ports) => {
    const random = createSystemRandom();
    const admin = new Admin(
      { ...ports, random, logger: noteLogger },
      {
        nodes,
        name: userName(),
        patienceMs: PATIENCE_MS,
        onWaiting: (how) => note(`waiting for a leader that answers: ${visible(how)}`),
      },
    );
    try {
      return await work(admin);
    } finally {
      admin.close();
    }
  });
}
