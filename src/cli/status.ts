// holdfast status: every node in its own words, and who cannot be reached.

import { statusJson } from '../server/views.ts';
import { resolveAddresses } from './addresses.ts';
import { EXIT } from './exit-code.ts';
import { withPorts } from './node-ports.ts';
import { askStatuses, leaderOf } from './node-status.ts';
import type { NodeReport } from './node-status.ts';
import { note, printJson, printTable, visible } from './output.ts';
import { addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';

/** Long enough for a busy node, short enough for somebody who looks at a broken cluster. */
const PATIENCE_MS = 2_000;
const HEADER = ['ID', 'ADDRESS', 'ROLE', 'TERM', 'LEADER', 'COMMIT', 'APPLIED', 'PID'];

const EXIT_CODES = `
Exit code: 0 if a leader is ready, otherwise 69; 64 usage, 78 configuration.`;

/** Adds `status` to the program. */
export function addStatusCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('status')
    .description('show every node: its role, term, leader and log')
    .addHelpText('after', EXIT_CODES)
    .action(async (options: ClusterOptions) => {
      invocation.exitCode = await showStatus(options);
    });
  addExamples(addClusterOptions(command), ['holdfast status', 'holdfast status --json']);
}

async function showStatus(options: ClusterOptions): Promise<number> {
  const addresses = await resolveAddresses(options, process.env);
  const reports = await withPorts((ports) => askStatuses(ports, addresses, PATIENCE_MS));
  const leader = leaderOf(reports);
  if (options.json === true) {
    const nodes = reports.map(({ address, status, problem }) =>
      status === null
        ? { address, isReachable: false, problem }
        : { address, isReachable: true, ...statusJson(status) },
    );
    printJson({ leader: leader?.status?.nodeId ?? null, nodes });
  } else {
    printTable(
      HEADER,
      reports.map((report) => rowOf(report, reports)),
    );
    for (const { address, problem } of reports) {
      if (problem !== null) note(`${address}: ${visible(problem)}`);
    }
  }
  return leader === undefined ? EXIT.unavailable : 0;
}

function rowOf({ address, status }: NodeReport, reports: readonly NodeReport[]): string[] {
  if (status === null) return [idOf(address, reports), address, 'unreachable'];
  const { nodeId, role, term, leaderId, commitIndex, appliedIndex, pid } = status;
  const numbers = [commitIndex, appliedIndex, pid].map(String);
  return [nodeId, address, role, String(term), leaderId ?? '-', ...numbers];
}

/** The name that others have for a node which cannot tell it. */
function idOf(address: string, reports: readonly NodeReport[]): string {
  const peers = reports.flatMap(({ status }) => status?.peers ?? []);
  return peers.find((peer) => peer.address === address)?.nodeId ?? '?';
}
