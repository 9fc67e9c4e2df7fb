// Three nodes of etcd with the settings that it comes with.

import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePorts, until } from '../../scripts/lib/local-cluster.mjs';
import { askEtcd } from '../lib/etcd.mjs';

const SIZE = 3;
const url = (port) => `http://127.0.0.1:${port}`;

function argsOf(directory, ports, n) {
  const [client, peer] = [ports[n], ports[SIZE + n]].map(url);
  const members = Array.from({ length: SIZE }, (_, at) => `e${at}=${url(ports[SIZE + at])}`);
  return [
    ...['--name', `e${n}`, '--data-dir', join(directory, `e${n}`), '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', members.join(','), '--initial-cluster-state', 'new'],
  ];
}

/** Of the node at the port, or null when it does not answer or has no leader. */
async function statusAt(port) {
  const agent = new Agent();
  try {
    const { header, leader, raftTerm } = await askEtcd({ port, agent }, '/maintenance/status', {});
    if (leader === undefined || leader === '0') return null;
    const isLeader = leader === header.member_id;
    return { port, id: leader, term: Number(raftTerm), isLeader, applied: Number(header.revision) };
  } catch {
    return null;
  } finally {
    agent.destroy();
  }
}

/** Starts them in the directory; `port` is the leader's. */
export async function startEtcd(directory, launch) {
  const ports = await freePorts(2 * SIZE);
  for (let n = 0; n < SIZE; n++) launch('etcd', argsOf(directory, ports, n));
  const find = async () => {
    const statuses = await Promise.all(ports.slice(0, SIZE).map(statusAt));
    return statuses.find((status) => status !== null && status.isLeader) ?? null;
  };
  const { port } = await until('etcd to have a leader', find);
  return { port, position: () => until('etcd to have a leader', find) };
}
