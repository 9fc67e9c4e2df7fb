// Rounds of closed loops. Each one is checked: one leader led from the beginning to the end, and
// the log grew by exactly the commands that were acknowledged, plus at most what clients repeat: a
// request that waits in a queue is sent again now and then, in case that the news of it were lost.

import { coldAndWarm } from './figures.mjs';
import { Latencies } from './latencies.mjs';

/** Percentiles that are told of every latency. */
const PERCENTILES = [50, 99, 99.9];

/** How often a client repeats a request that waits. */
const REPEAT_SECONDS = 15;

/** One cold round, then `rounds` warm ones; up to `waiters` requests wait in queues at a time. */
export async function measureRounds(servers, crew, { rounds, seconds, waiters = 0 }) {
  const repeatsMax = waiters * (1 + Math.floor(seconds / REPEAT_SECONDS));
  const measured = [];
  for (let n = 0; n <= rounds; n++) {
    measured.push(await measureRound(servers, crew, { seconds, repeatsMax }));
  }
  return measured;
}

async function measureRound(servers, crew, { seconds, repeatsMax }) {
  const before = await servers.waitAll();
  await servers.takeStopMs();
  const cpuBefore = await servers.cpuSeconds();
  const answers = await crew.all('round', seconds);
  const serverCpuSeconds = (await servers.cpuSeconds()) - cpuBefore;
  const after = await servers.waitAll();
  const parts = answers.map(({ value }) => value);
  const sum = (pick) => parts.reduce((total, part) => total + pick(part), 0);
  const commands = sum((part) => part.commands);
  checkGrowth(before, after, commands, repeatsMax);
  return {
    cycles: sum((part) => part.cycles),
    commands,
    seconds: Math.max(...parts.map((part) => part.seconds)),
    latencies: mergeLatencies(parts.map((part) => part.latencies)),
    serverCpuSeconds,
    clientCpuSeconds: answers.reduce((total, answer) => total + answer.cpuSeconds, 0),
    serverMib: await servers.residentMib(),
    clientMib: Math.max(...answers.map((answer) => answer.residentMib)),
    stopMs: await servers.takeStopMs(),
  };
}

/** Throws unless the same leader leads in the same term. */
export function checkLeader(before, after) {
  if (after.id === before.id && after.term === before.term) return;
  const [from, to] = [before, after].map(({ id, term }) => `${id} (term ${term})`);
  throw new Error(`${to} leads, at the beginning it was ${from}`);
}

/**
 * Throws unless the leader is the same, and applied exactly as much as was acknowledged, and at
 * most so many repetitions.
 */
export function checkGrowth(before, after, commands, repeatsMax = 0) {
  checkLeader(before, after);
  const grown = after.applied - before.applied;
  if (grown >= commands && grown <= commands + repeatsMax) return;
  throw new Error(`${commands} acknowledged commands, but the log grew by ${grown}`);
}

function mergeLatencies(parts) {
  const kinds = new Set(parts.flatMap((part) => Object.keys(part)));
  return new Map(
    [...kinds].map((kind) => [
      kind,
      Latencies.ofAll(parts.map((part) => part[kind]).filter((text) => text !== undefined)),
    ]),
  );
}

/** Percentiles of one kind of operation, those of the median held against a limit. */
export function latencyFigures(rounds, kind, against = null) {
  return PERCENTILES.map((percentage) =>
    coldAndWarm(
      `${kind} p${percentage}`,
      'ms',
      rounds.map(({ latencies }) => latencies.get(kind)?.percentile(percentage) ?? NaN),
      { against: percentage === 50 ? against : null },
    ),
  );
}

/** How many cycles a second; `cycle` is what they are called. */
export function rateFigure(rounds, cycle) {
  const values = rounds.map(({ cycles, seconds }) => cycles / seconds);
  return coldAndWarm(cycle, '/s', values, { better: 'higher', against: 'disk' });
}

/** What nodes and clients use: processor time for each cycle, memory, stops of event loops. */
export function costFigures(rounds) {
  const perCycle = (pick) => rounds.map((round) => (pick(round) * 1e6) / round.cycles);
  return [
    coldAndWarm(
      'servers, CPU a cycle',
      'µs',
      perCycle((round) => round.serverCpuSeconds),
    ),
    coldAndWarm(
      'clients, CPU a cycle',
      'µs',
      perCycle((round) => round.clientCpuSeconds),
    ),
    coldAndWarm(
      'largest node',
      'MiB',
      rounds.map(({ serverMib }) => serverMib),
    ),
    coldAndWarm(
      'largest client process',
      'MiB',
      rounds.map(({ clientMib }) => clientMib),
    ),
    coldAndWarm(
      'longest loop stop of a node',
      'ms',
      rounds.map(({ stopMs }) => stopMs),
    ),
  ];
}
