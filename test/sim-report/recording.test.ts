// What a recorder sees of a cluster, and where a picture puts it.

import { expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { partingOf } from '../../sim/report/compare.ts';
import { coneOf, lastSeqAt } from '../../sim/report/cone.ts';
import { FrameBook } from '../../sim/report/frame-book.ts';
import { Bounded } from '../../sim/report/bounded.ts';
import { Recorder } from '../../sim/report/recorder.ts';
import type { Recording } from '../../sim/report/recording.ts';
import { TimeAxis } from '../../sim/report/time-axis.ts';
import { Trace } from '../../sim/world/trace.ts';

async function recorded(act: (cluster: SimCluster) => Promise<void>): Promise<Recording> {
  const recorder = new Recorder();
  const cluster = await createSimCluster({ seed: 3, recorder });
  recorder.begin();
  await cluster.waitLeader();
  await act(cluster);
  return recorder.recording({ violation: null, scenario: [], replay: '' });
}

test('roles are bands by term: the new leader, and the old one after it heard of it', async () => {
  let old = '';
  const { spans, frames } = await recorded(async (cluster) => {
    old = await cluster.waitLeader();
    cluster.world.isolate(old);
    await cluster.waitLeader(old);
  });
  const leaders = spans.filter(({ kind }) => kind === 'leader');
  expect(leaders.map(({ lane }) => lane)).toEqual([old, expect.not.stringMatching(old)]);
  const [first, second] = leaders;
  expect(second?.term).toBeGreaterThan(first?.term ?? Infinity);
  expect(second?.fromUs).toBeGreaterThan(first?.fromUs ?? Infinity);
  const lost = frames.filter(({ fate, from }) => fate === 'lost' && from === old);
  expect(lost.some(({ label }) => label === 'heartbeat')).toBe(true);
  const healthy = frames.filter(({ from, fate }) => from !== old && fate === 'heard');
  expect(healthy.some(({ label }) => label === 'vote')).toBe(true);
});

test('locks have bars of holders and waiters, and processes are told dead and still', async () => {
  const { spans, marks, lanes } = await recorded(async (cluster) => {
    const [one, other] = ['one', 'other'].map((name) => cluster.client(name));
    const first = one?.run(({ client }) => client.lock('door').acquire());
    await cluster.until('a grant', () => first?.isSettled === true);
    other?.run(({ client }) => client.lock('door').acquire());
    await cluster.runFor(100);
    one?.handle.pause();
    await cluster.runFor(100);
    one?.handle.resume();
    one?.handle.crash();
    await cluster.runFor(20_000);
  });
  const of = (kind: string) => spans.filter((span) => span.kind === kind);
  expect(lanes).toContainEqual({ name: 'door', kind: 'lock' });
  expect(of('hold').map(({ label }) => label)).toEqual([
    expect.stringMatching(/^one · token \d+$/),
    expect.stringMatching(/^other · token \d+$/),
  ]);
  const [hold, next] = of('hold');
  expect(next?.fromUs).toBe(hold?.toUs);
  expect(of('wait')).toMatchObject([{ label: 'other waits', toUs: next?.fromUs }]);
  expect(of('paused')).toMatchObject([{ lane: 'one' }]);
  expect(of('dead')).toMatchObject([{ lane: 'one', toUs: spans.at(-1)?.toUs }]);
  expect(marks.filter(({ kind }) => kind === 'crash')).toMatchObject([{ lane: 'one' }]);
  const commits = marks.filter(({ kind }) => kind === 'commit').map(({ text }) => text);
  expect(commits.some((text) => text.includes('acquire door by one → GRANTED'))).toBe(true);
});

test('what comes over a link after its successor has delivered is stale', () => {
  let atUs = 0;
  const book = new FrameBook(
    () => ({ atUs, seq: atUs }),
    () => true,
  );
  const way = { from: 'n1', to: 'n2', dialledBy: 'n1', isPeer: false };
  const first = new Uint8Array([1]);
  const second = new Uint8Array([2]);
  const third = new Uint8Array([3]);
  book.sent(first, { ...way, link: 1 });
  book.sent(second, { ...way, link: 2 });
  book.sent(third, { ...way, from: 'n2', to: 'n1', link: 1 });
  atUs = 10;
  for (const bytes of [second, first, third]) book.heard(bytes);
  atUs = 20;
  book.heard(first);
  expect(book.frames().map(({ isStale }) => isStale)).toEqual([true, false, false]);
  expect(book.frames().map(({ heard }) => heard?.atUs)).toEqual([10, 10, 10]);
});

test('two runs part where the same happens at another time, or something else, or nothing', async () => {
  const run = await recorded((cluster) => cluster.runFor(1_000));
  expect(partingOf(run, run)).toBeNull();
  const [first, ...others] = run.frames;
  if (first === undefined) throw new Error('nothing was sent');
  const later = { ...run, frames: [{ ...first, sentUs: first.sentUs + 1 }, ...others] };
  expect(partingOf(run, later)?.atUs).toBe(first.sentUs);
  const last = run.marks.at(-1);
  const shorter = { ...run, marks: run.marks.slice(0, -1) };
  expect(partingOf(run, shorter)).toMatchObject({ atUs: last?.atUs });
  expect(partingOf(run, { ...run, marks: [], frames: [] })?.there).toBeNull();
});

test('a cone is the chain of causes of each root, and nothing beside it', () => {
  const trace = new Trace();
  const causes = [0, 1, 1, 2, 3, 5];
  causes.forEach((cause, at) => {
    trace.add(at * 10, { kind: 'timer', process: 1, a: 0, b: 0, c: 0, cause });
  });
  expect([...coneOf(trace, [6])]).toEqual([6, 5, 3, 1]);
  expect([...coneOf(trace, [4, 6])].sort((left, right) => left - right)).toEqual([
    1, 2, 3, 4, 5, 6,
  ]);
  expect(lastSeqAt(trace, 25)).toBe(3);
  expect(lastSeqAt(trace, -1)).toBe(0);
  expect(lastSeqAt(trace, 1_000)).toBe(6);
});

test('an axis keeps the order of time, tells close times apart and folds quiet ones', () => {
  const times = [0, 100, 200, 5_000_000, 5_000_100];
  const axis = new TimeAxis(times, []);
  const places = times.map((timeUs) => axis.x(timeUs));
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(axis.x(200) - axis.x(100)).toBeGreaterThan(5);
  expect(axis.x(5_000_000) - axis.x(200)).toBeLessThan(100);
  expect(axis.folds).toEqual([{ fromUs: 200, toUs: 5_000_000 }]);
  expect(axis.x(150)).toBeGreaterThan(axis.x(100));
  expect(axis.x(150)).toBeLessThan(axis.x(200));
  const roomy = new TimeAxis(times, [{ fromUs: 100, toUs: 200, pixels: 300 }]);
  expect(roomy.x(200) - roomy.x(100)).toBeCloseTo(300);
});

test('a bounded list keeps the newest, and tells how many it let go', () => {
  const list = new Bounded<number>(3);
  for (let at = 1; at <= 10; at++) list.add(at);
  expect(list.items()).toEqual([8, 9, 10]);
  expect(list.dropped).toBe(7);
});
