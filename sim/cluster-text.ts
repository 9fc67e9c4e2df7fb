import type { SimCluster } from './cluster.ts';

const LINES = 10;

/** For messages: every node in one line, then the newest log lines. */
export function describeCluster(cluster: SimCluster): string {
  const nodes = cluster.all().map((node) => {
    if (node.host === null) return `${node.id}: dead, ${JSON.stringify(node.exit)}`;
    const { role, term, leaderId, isReady, commitIndex, lastIndex } = cluster.status(node.id);
    const leads = `leader ${leaderId ?? 'unknown'}${isReady ? ' ready' : ''}`;
    return `${node.id}: ${role} t${term}, ${leads}, commit ${commitIndex} of ${lastIndex}`;
  });
  const lines = cluster.world.logLines.slice(-LINES).map((line) => {
    const fields = JSON.stringify(line.fields);
    return `${line.timeUs} ${line.process} ${line.level} ${line.message} ${fields}`;
  });
  return [...nodes, ...lines].join('\n');
}
