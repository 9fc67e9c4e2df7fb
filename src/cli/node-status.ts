import { HoldfastError } from '../base/error.ts';
import { askNode } from '../client/single-request.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { showMs } from './duration.ts';

/** What is known of the node at an address: its own word, or why there is none. */
export type NodeReport =
  | { readonly address: string; readonly status: NodeStatus; readonly problem: null }
  | { readonly address: string; readonly status: null; readonly problem: string };

/** Asks every node for its status, at the same time; never rejects. */
export function askStatuses(
  ports: SingleRequestPorts,
  addresses: readonly string[],
  patienceMs: number,
): Promise<NodeReport[]> {
  return Promise.all(
    addresses.map(async (address): Promise<NodeReport> => {
      try {
        const question = { type: 'query', query: { kind: 'status' } } as const;
        const result = await askNode(ports, { address, question, patienceMs, isOnce: true });
        if (result.kind === 'status') return { address, status: result.status, problem: null };
        const problem = result.kind === 'refused' ? result.message : `it answered ${result.kind}`;
        return { address, status: null, problem };
      } catch (error) {
        return { address, status: null, problem: problemOf(error) };
      }
    }),
  );
}

function problemOf(error: unknown): string {
  if (!HoldfastError.is(error)) return String(error);
  return error.message.replace(/^[A-Z_]+: (the node at \S+: )?/, '');
}

/**
 * The node that leads and is ready. Of two, when one has not heard of the other yet, the one with
 * the higher term.
 */
export function leaderOf(reports: readonly NodeReport[]): NodeReport | undefined {
  return reports
    .filter(({ status }) => status?.role === 'leader' && status.isReady)
    .reduce<NodeReport | undefined>(
      (best, report) => (termOf(report) > termOf(best) ? report : best),
      undefined,
    );
}

/** Why nothing is granted after a restore, and how long yet; null: there is no embargo. */
export function embargoText(reports: readonly NodeReport[]): string | null {
  const leader = leaderOf(reports);
  const known = leader === undefined ? reports : [leader];
  const left = known.flatMap(({ status }) => status?.embargoLeftMs ?? []);
  if (left.length === 0) return null;
  const at = leader === undefined ? 'from when a leader is elected' : 'if the leader stays';
  const time = `${showMs(Math.max(...left))} ${at}`;
  return `the cluster was restored from a backup: nothing is granted yet, at most for ${time}`;
}

function termOf(report: NodeReport | undefined): number {
  return report?.status?.term ?? -1;
}
