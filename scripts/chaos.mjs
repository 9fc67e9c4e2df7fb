// Kills the leader's process (or all processes at once) with SIGKILL under load, again and again,
// and holds every acknowledged answer against the log that survived.
//
//   node scripts/chaos.mjs [--kills 20] [--all] [--clients 64] [--names 8]
//
// Half of the clients are library clients that release what they hold; the other half speak HTTP
// and abandon their sessions: they take a lock and are never heard of again.

import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { connect } from '../dist/src/index.js';
import { sleep, startCluster } from './lib/local-cluster.mjs';
import { checkExclusion, replayDirectory } from './lib/replay.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
    names: { type: 'string', default: '8' },
    all: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const clientCount = Number(values.clients);
const nameCount = Number(values.names);
const SESSION_TTL_MS = 3_000;
const IN_FLIGHT_MIN = 10;
/** The log is read from its beginning in the end: nothing of it may go. */
const KEEP_LOG = { checkpoints: { trailingEntries: 1_000_000_000 } };

const acknowledged = []; // {name, token, session}
const tally = { granted: 0, abandoned: 0, errors: new Map(), maxTerm: 0, inFlight: [] };
let isOver = false;
let pending = 0;

const nameOf = (n) => `chaos/${n % nameCount}`;

function note(error) {
  // fetch tells a refused or cut connection by a TypeError.
  const code = error?.code ?? (error instanceof TypeError ? 'HTTP connection' : error?.name);
  tally.errors.set(code, (tally.errors.get(code) ?? 0) + 1);
}

async function counted(call) {
  pending += 1;
  try {
    return await call();
  } finally {
    pending -= 1;
  }
}

async function politeClient(addresses, n) {
  const client = await connect({
    nodes: addresses,
    name: `polite-${n}`,
    ttlMs: SESSION_TTL_MS,
    connectMs: 30_000,
  });
  for (let turn = n; !isOver; turn++) {
    try {
      const name = nameOf(turn);
      const grant = await counted(() => client.lock(name).acquire({ waitMs: 5_000 }));
      acknowledged.push({ name, token: grant.token, session: client.session.id });
      tally.granted += 1;
      await sleep(5 + (turn % 10));
      await counted(() => grant.release());
    } catch (error) {
      note(error);
      await sleep(20);
    }
  }
  await client.close().catch(note);
}

async function post(addresses, path, body) {
  let last = null;
  for (let attempt = 0; attempt < addresses.length * 2; attempt++) {
    try {
      const response = await fetch(`http://${addresses[attempt % addresses.length]}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(8_000),
      });
      const answer = await response.json();
      if (response.ok) return answer;
      last = Object.assign(new Error(answer.detail ?? answer.title), { code: answer.code });
      if (!answer.retryable) throw last;
    } catch (error) {
      last = error;
    }
    await sleep(50);
  }
  throw last;
}

/** Opens a session, takes a lock, and is never heard of again: only expiry frees it. */
async function deserter(addresses, n) {
  for (let turn = n; !isOver; turn++) {
    try {
      const name = nameOf(turn);
      const { session } = await post(addresses, '/v1/sessions', {
        ttlMs: 1_000,
        name: `deserter-${n}`,
      });
      const path = `/v1/locks/${encodeURIComponent(name)}/acquire`;
      const { token } = await counted(() =>
        post(addresses, path, { session, seq: 1, waitMs: 4_000 }),
      );
      acknowledged.push({ name, token, session });
      tally.abandoned += 1;
    } catch (error) {
      note(error);
      await sleep(20);
    }
    await sleep(500);
  }
}

/** Requests that are certainly on their way when the process dies. */
function burst(probe, round) {
  for (let n = 0; n < 16; n++) {
    const name = `burst/${round}/${n}`;
    counted(() => probe.lock(name).acquire({ waitMs: 5_000 }))
      .then((grant) => acknowledged.push({ name, token: grant.token, session: probe.session.id }))
      .catch(note);
  }
}

async function killRound(cluster, probe, round) {
  const leader = await cluster.waitLeader();
  const victims = values.all ? cluster.nodes.map(({ id }) => id) : [leader.id];
  if (cluster.processes.get(leader.id).pid !== leader.pid) {
    throw new Error(`status says pid ${leader.pid}, which is not that of ${leader.id}`);
  }
  burst(probe, round);
  await new Promise((resolve) => setImmediate(resolve));
  tally.inFlight.push(pending);
  if (pending < IN_FLIGHT_MIN) throw new Error(`only ${pending} requests in flight`);
  await Promise.all(victims.map((id) => cluster.kill(id)));
  const killedAt = performance.now();
  if (!values.all) await cluster.waitLeader();
  const headlessMs = Math.round(performance.now() - killedAt);
  for (const id of victims) cluster.spawn(id);
  const next = await cluster.waitAll();
  if (!(next.term > leader.term)) throw new Error(`term ${next.term} after ${leader.term}`);
  tally.maxTerm = next.term;
  console.log(
    `kill ${round + 1}: ${victims.join('+')} (pid ${leader.pid}, term ${leader.term}) with ` +
      `${tally.inFlight.at(-1)} requests in flight -> ${next.id} leads term ${next.term}` +
      (values.all ? '' : ` after ${headlessMs} ms`),
  );
  await sleep(1_200);
}

/** Every acknowledged grant is in the surviving log, on every node, as it was acknowledged. */
async function verify(cluster, commitIndex) {
  const replays = [];
  for (const { id } of cluster.nodes) {
    replays.push(await replayDirectory(join(cluster.dataDir, id), id, commitIndex));
  }
  const [first] = replays;
  for (const replay of replays) {
    if (replay.lastIndex !== commitIndex) throw new Error(`a log ends at ${replay.lastIndex}`);
    if (replay.stateHash !== first.stateHash)
      throw new Error('the nodes do not agree on the state');
  }
  checkExclusion(first);
  const known = new Set(
    first.grants.map(({ name, token, session }) => `${name} ${token} ${session}`),
  );
  const lost = acknowledged.filter(
    ({ name, token, session }) => !known.has(`${name} ${token} ${session}`),
  );
  if (lost.length > 0) throw new Error(`lost grants: ${JSON.stringify(lost.slice(0, 5))}`);
  return first;
}

const cluster = await startCluster({ nodeOptions: KEEP_LOG });
let succeeded = false;
try {
  const firstTerm = (await cluster.waitLeader()).term;
  const half = clientCount / 2;
  const probe = await connect({ nodes: cluster.addresses, name: 'probe', ttlMs: 60_000 });
  const workers = [
    ...Array.from({ length: half }, (_, n) => politeClient(cluster.addresses, n)),
    ...Array.from({ length: half }, (_, n) => deserter(cluster.addresses, n)),
  ];
  await sleep(1_000);
  for (let round = 0; round < kills; round++) await killRound(cluster, probe, round);
  isOver = true;
  await Promise.all(workers);
  await probe.close();
  await sleep(1_500);
  const { commit: commitIndex } = await cluster.waitLeader();
  await cluster.stop();
  const { grants } = await verify(cluster, commitIndex);
  const contested = grants.filter(({ isContested }) => isContested).length;
  if (contested < 200) throw new Error(`only ${contested} contested grants`);
  console.log(
    `ok: ${kills} kills${values.all ? ' of all nodes' : ' of the leader'}, term ${firstTerm} -> ` +
      `${tally.maxTerm}, ${acknowledged.length} acknowledged grants (${tally.granted} released, ` +
      `${tally.abandoned} abandoned), ${contested} contested in the log, none lost, tokens grew, ` +
      `>= ${Math.min(...tally.inFlight)} requests in flight, errors seen by clients: ` +
      (JSON.stringify(Object.fromEntries(tally.errors)) || 'none'),
  );
  succeeded = true;
} catch (error) {
  console.error(error);
  for (const [id, child] of cluster.processes) console.error(`--- ${id}\n${child.lastLog()}`);
} finally {
  isOver = true;
  await cluster.stop();
  if (succeeded) await cluster.remove();
  else console.error(`kept for inspection: ${cluster.root}`);
  process.exit(succeeded ? 0 : 1);
}
