// holdfast status: every node in its own words, and who cannot be reached.

import { statusJson } from '../server/views.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { resolveAddresses } from './addresses.ts';
import { EXIT } from './exit-code.ts';
import { withPorts } from './node-ports.ts';
import { askStatuses, embargoText, leaderOf } from './node-status.ts';
import type { NodeReport } from './node-status.ts';
import { note, printJson, printTable, visible } from './output.ts';
import { addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';

/** Long enough for a busy node, short enough for somebody who looks at a broken cluster. */
const PATIENCE_MS = 2_000;
const HEADER = [
  'ID',
  'ADDRESS',
  'ROLE',
  'TERM',
  'LEADER',
  'COMMIT',
  'APPLIED',
  'CHECKPOINT',
  'PID',
];

const EXIT_CODES = `
Also those members that the configuration does not name, once a node has told of them. CHECKPOINT is
the last entry in the durable state, from which a node starts again. What needs a look is told on
stderr.

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
  const reports = await withPorts((ports) => askAll(ports, addresses));
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
    for (const { address, problem, status } of reports) {
      if (problem !== null) note(`${address}: ${visible(problem)}`);
      for (const alarm of status?.alarms ?? []) note(`${address}: ${visible(alarm)}`);
    }
    const embargo = embargoText(reports);
    if (embargo !== null) note(embargo);
  }
  return leader === undefined ? EXIT.unavailable : 0;
}

/** The nodes at these addresses, and the members that only they know of. */
async function askAll(
  ports: SingleRequestPorts,
  addresses: readonly string[],
): Promise<readonly NodeReport[]> {
  const reports = await askStatuses(ports, addresses, PATIENCE_MS);
  const seen = new Set(reports.map(({ status }) => status?.nodeId));
  const others = reports
    .flatMap(({ status }) => status?.peers ?? [])
    .filter(({ nodeId, address }) => !seen.has(nodeId) && !addresses.includes(address))
    .map(({ address }) => address);
  return [...reports, ...(await askStatuses(ports, [...new Set(others)], PATIENCE_MS))];
}

function rowOf({ address, status }: NodeReport, reports: readonly NodeReport[]): string[] {
  if (status === null) return [idOf(address, reports), address, 'unreachable'];
  const { nodeId, term, leaderId, commitIndex, appliedIndex, checkpointIndex, pid } = status;
  const numbers = [commitIndex, appliedIndex, checkpointIndex, pid].map(String);
  return [nodeId, address, roleOf(status), String(term), leaderId ?? '-', ...numbers];
}

// A node without a vote follows in consensus; what it is not matters more.
function roleOf({ role, membership }: NodeStatus): string {
  return membership === 'learner' || membership === 'removed' ? membership : role;
}

/** The name that others have for a node which cannot tell it. */
function idOf(address: string, reports: readonly NodeReport[]): string {
  const peers = reports.flatMap(({ status }) => status?.peers ?? []);
  return peers.find((peer) => peer.address === address)?.nodeId ?? '?';
}
