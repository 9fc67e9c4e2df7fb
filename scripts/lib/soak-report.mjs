// A soak's report as text, and as tables of its documentation.

const number = (value, decimals = 2) =>
  value === null || value === undefined
    ? '–'
    : value.toLocaleString('en-US', { maximumFractionDigits: decimals });

const seconds = (ms) => number(ms / 1_000, 1);

/** One line for each minute that goes by. */
export function progressLine({ load, samples, faults }, elapsedMs) {
  const latest = new Map(samples.map((sample) => [sample.node, sample]));
  const nodes = [...latest.values()].map(
    ({ node, residentMib, descriptors, diskMib }) =>
      `${node} ${residentMib} MiB ${descriptors} fds` +
      (diskMib === undefined ? '' : ` disk ${number(diskMib, 0)} MiB`),
  );
  return (
    `${seconds(elapsedMs)} s: ${load.turns} turns, ${load.grants} grants, ` +
    `${faults.length} faults, ${load.violations.count} violations, ${load.misses.count} misses; ` +
    nodes.join(', ')
  );
}

/** What is planned. */
export function scheduleLines(schedule) {
  return schedule.map(
    ({ number: at, atMs, kind, lengthMs }) =>
      `  ${String(at).padStart(3)}  ${seconds(atMs).padStart(8)} s  ${kind}` +
      (lengthMs > 0 ? ` ${lengthMs} ms` : ''),
  );
}

/** What a fault has done, right after it. */
export function faultLine({ number: at, kind, node, tookMs, term, leader, refused }) {
  const late = refused === undefined || refused === 0 ? '' : `, ${refused} late writes refused`;
  const what = `  fault ${at} ${kind} (${node ?? 'client'})`;
  return `${what}: ${tookMs} ms, ${leader} leads term ${term}${late}`;
}

function latencyRows(latencies) {
  return Object.entries(latencies).flatMap(([kind, { quiet, whole }]) =>
    [
      ['quiet', quiet],
      ['all', whole],
    ].map(([when, figures]) => [
      kind,
      when,
      number(figures?.count ?? 0, 0),
      ...['p50', 'p99', 'p999', 'max'].map((key) => number(figures?.[key], 1)),
    ]),
  );
}

/** By kind of fault: how often, until all was whole, and how long nobody was granted anything. */
function faultRows(faults) {
  const kinds = new Map();
  for (const fault of faults) kinds.set(fault.kind, [...(kinds.get(fault.kind) ?? []), fault]);
  return [...kinds].map(([kind, list]) => {
    const gaps = list.map(({ gapMs }) => gapMs ?? 0).sort((left, right) => left - right);
    const took = list.map(({ tookMs }) => tookMs).sort((left, right) => left - right);
    const middle = Math.floor(list.length / 2);
    return [kind, list.length, took[middle], took.at(-1), gaps[middle], gaps.at(-1)].map((cell) =>
      typeof cell === 'number' ? number(cell, 0) : cell,
    );
  });
}

function trendRows(trends) {
  return trends.map(({ node, measure, livedMs, from, to, slopePerHour, noise, isFlat }) => [
    node,
    measure,
    number(livedMs / 60_000, 1),
    number(from, 1),
    number(to, 1),
    number(slopePerHour, 1),
    number(noise, 1),
    isFlat ? 'flat' : 'GROWS',
  ]);
}

/** The most that was seen of each node. */
function peakRows(samples) {
  const nodes = [...new Set(samples.map(({ node }) => node))];
  return nodes.map((node) => {
    const own = samples.filter((sample) => sample.node === node);
    const peak = (key) => Math.max(...own.map((sample) => sample[key] ?? NaN).filter(isFinite));
    const cells = ['residentMib', 'heapAfterGcMib', 'descriptors', 'diskMib', 'files'];
    const most = [...cells, 'logEntries', 'loopStopMs', 'cpu'].map(peak);
    return [node, ...most.map((value) => (Number.isFinite(value) ? number(value) : '–'))];
  });
}

/** The tables of a report: {title, head, rows}. */
function tablesOf({ load, faults, trends, samples }) {
  return [
    {
      title: 'Latency, ms, from when a request was meant to be sent',
      head: ['request', 'time', 'count', 'p50', 'p99', 'p99.9', 'max'],
      rows: latencyRows(load.latencies),
    },
    {
      title: 'Faults, ms',
      head: ['fault', 'times', 'whole again', 'at most', 'no grant for', 'at most'],
      rows: faultRows(faults),
    },
    {
      title: 'Requests that failed',
      head: ['request and code', 'in quiet time', 'in all'],
      rows: Object.entries(load.failures).map(([key, { quiet, whole }]) => [key, quiet, whole]),
    },
    {
      title: 'Trends over the last two thirds of the longest life',
      head: ['process', 'measure', 'lived min', 'from', 'to', 'per hour', '±', 'verdict'],
      rows: trendRows(trends),
    },
    {
      title: 'The most that was seen',
      head: 'process,RSS MiB,heap MiB,fds,disk MiB,files,log entries,loop stop ms,CPU'.split(','),
      rows: peakRows(samples),
    },
  ];
}

function headLines({ startedAt, machine, settings, seed, state, elapsedMs, load, kept }) {
  return [
    `${settings.minutes} minutes at ${settings.rate} turns/s on ${settings.nodes} nodes, seed ` +
      `${seed}, from ${startedAt}: ${state} after ${number(elapsedMs / 60_000, 1)} minutes`,
    `${machine.processors} × ${machine.model}, Node ${machine.node}`,
    `${number(load.turns)} turns, ${number(load.grants)} grants, ${number(load.written)} writes, ` +
      `${load.refused} late writes refused, ${load.watch.heard} grants watched ` +
      `(${load.watch.gaps} gaps), ${kept ?? '–'} kept locks listed in the end`,
  ];
}

/** The report for people; what was violated stands last. */
export function reportLines(report) {
  const lines = headLines(report);
  for (const { title, head, rows } of tablesOf(report)) {
    if (rows.length === 0) continue;
    const widths = head.map((cell, at) =>
      Math.max(cell.length, ...rows.map((row) => String(row[at]).length)),
    );
    const line = (row) =>
      row.map((cell, at) => String(cell)[at === 0 ? 'padEnd' : 'padStart'](widths[at])).join('  ');
    lines.push('', title, line(head), ...rows.map(line));
  }
  const { violations, misses } = report;
  lines.push('', violations.length === 0 ? 'nothing was violated' : 'VIOLATED:', ...violations);
  lines.push(misses.length === 0 ? 'nothing was missed' : 'MISSED:', ...misses);
  return lines;
}

/** The same for documentation. */
export function markdownLines(report) {
  const lines = headLines(report).map((line) => `- ${line}`);
  for (const { title, head, rows } of tablesOf(report)) {
    if (rows.length === 0) continue;
    const line = (row) => `| ${row.join(' | ')} |`;
    lines.push('', `### ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line));
  }
  return [
    ...lines,
    '',
    ...report.violations.map((text) => `- violated: ${text}`),
    ...report.misses.map((text) => `- missed: ${text}`),
  ];
}
