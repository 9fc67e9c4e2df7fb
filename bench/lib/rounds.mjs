// Rounds of closed loops. Each one is checked: one leader led from the beginning to the end, and
// the log grew by exactly the commands that were acknowledged, plus at most what clients repeat: a
// request that waits in a queue is sent again now and then, in case that the news of it were lost.

import { coldAndWarm } from './figures.mjs';
import { Latencies } from './latencies.mjs';

/** Percentiles that are told of every latency. */
const PERCENTILES = [50, 99, 99.9];

/** How often a client repeats a request that waits. */
const REPEAT_SECONDS = 15;

/**
 * One cold round, then `rounds` warm ones; up to `waiters` requests wait in queues at a time. The
 * cold one takes `coldSeconds`, and `method` of the program is what a round is.
 */
export async function measureRounds(servers, crew, settings) {
  const { rounds, seconds, coldSeconds = seconds, waiters = 0, method = 'round' } = settings;
  const measured = [];
  for (let n = 0; n <= rounds; n++) {
    const takesSeconds = n === 0 ? coldSeconds : seconds;
    const repeatsMax = waiters * (1 + Math.floor(takesSeconds / REPEAT_SECONDS));
    measured.push(await measureRound(servers, crew, { method, seconds: takesSeconds, repeatsMax }));
  }
  return measured;
}

async function measureRound(servers, crew, { method, seconds, repeatsMax }) {
  const before = await servers.waitAll();
  await servers.takeStopMs();
  const cpuBefore = await servers.cpuSeconds();
  const leaderBefore = await servers.cpuSecondsOf(before.id);
  const answers = await crew.all(method, seconds);
  const leaderCpuSeconds = (await servers.cpuSecondsOf(before.id)) - leaderBefore;
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
    leaderCpuSeconds,
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
export function latencyFigures(rounds, kind, against = null, percentages = PERCENTILES) {
  return percentages.map((percentage) =>
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

/** Processor time of leader, all nodes, and clients for a cycle; `cycle` is what it is called. */
export function cpuFigures(rounds, cycle = 'cycle') {
  const perCycle = (name, pick) =>
    coldAndWarm(
      `${name}, CPU a ${cycle}`,
      'µs',
      rounds.map((round) => (pick(round) * 1e6) / round.cycles),
    );
  return [
    perCycle('leader', (round) => round.leaderCpuSeconds),
    perCycle('servers', (round) => round.serverCpuSeconds),
    perCycle('clients', (round) => round.clientCpuSeconds),
  ];
}

/** What nodes and clients use: processor time for each cycle, memory, stops of event loops. */
export function costFigures(rounds) {
  const of = (name, unit, pick) => coldAndWarm(name, unit, rounds.map(pick));
  return [
    ...cpuFigures(rounds),
    of('largest node', 'MiB', ({ serverMib }) => serverMib),
    of('largest client process', 'MiB', ({ clientMib }) => clientMib),
    of('longest loop stop of a node', 'ms', ({ stopMs }) => stopMs),
  ];
}
