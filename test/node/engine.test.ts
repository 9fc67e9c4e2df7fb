import { describe, expect, test } from 'vitest';
import type { RaftCore, RaftEffect, RaftEvent } from '../../src/raft/events.ts';
import { Engine } from '../../src/node/engine.ts';
import type { EngineListener } from '../../src/node/engine.ts';
import type { NodeStorage } from '../../src/node/storage/types.ts';
import { ManualClock } from './manual-clock.ts';

const TICK_US = 25_000;

function unused(): never {
  throw new Error('nothing is stored here');
}

const storage: NodeStorage = {
  open: unused,
  found: unused,
  writeHardState: unused,
  persist: unused,
  load: unused,
  raiseFloor: unused,
  freeBytes: unused,
  checkpoint: unused,
  rows: unused,
  view: unused,
  receive: unused,
  adopt: unused,
  scrub: unused,
  close: unused,
};

/** An engine whose core does what the test says. */
function setUp(step: (event: RaftEvent) => readonly RaftEffect[] = () => []) {
  const clock = new ManualClock();
  const told: string[] = [];
  const ticks: { readonly toldUs: number; readonly trueUs: number }[] = [];
  const raft: RaftCore = {
    step,
    nextDeadlineUs: () => Infinity,
    status: unused,
    configAt: unused,
    termAt: unused,
  };
  const tell = (what: string) => (): void => void told.push(what);
  const listener: EngineListener = {
    send: tell('send'),
    apply: tell('apply'),
    readReady: tell('readReady'),
    readFailed: tell('readFailed'),
    roleChanged: tell('roleChanged'),
    leaderReady: tell('leaderReady'),
    configChanged: tell('configChanged'),
    snapshot: tell('snapshot'),
    decided: tell('decided'),
    removed: tell('removed'),
    peerLostLog: tell('peerLostLog'),
    failed: ({ exitCode }) => told.push(`failed ${exitCode}`),
  };
  const onTick = (toldUs: number): void => void ticks.push({ toldUs, trueUs: clock.nowUs });
  const engine = new Engine({ raft, storage, clock, listener, tickUs: TICK_US, onTick });
  return { clock, engine, told, ticks };
}

describe('the engine', () => {
  test('M-63 tells the time of a tick by the clock, not by the timer, which may fire early', () => {
    const { clock, engine, ticks } = setUp();
    const after = clock.after.bind(clock);
    clock.after = (delayUs, callback) => after(Math.max(0, delayUs - 900), callback);
    engine.start();
    for (let at = 0; at < 1_000; at++) clock.advance(100);
    expect(ticks.length).toBeGreaterThanOrEqual(4);
    expect(ticks.map((tick) => tick.toldUs)).toEqual(ticks.map((tick) => tick.trueUs));
  });

  test('ticks at least once in its period, and no more when it is stopped', () => {
    const { clock, engine, ticks } = setUp();
    engine.start();
    for (let at = 0; at < 10; at++) clock.advance(TICK_US);
    expect(ticks).toHaveLength(10);
    engine.stop();
    clock.advance(10 * TICK_US);
    expect(ticks).toHaveLength(10);
  });

  test('R-77 carries out nothing more once it has failed, not even the rest of that turn', () => {
    const fatal = { type: 'fatal', code: 'LOG_LOST', message: 'shorter' } as const;
    const effects: readonly RaftEffect[] = [
      { type: 'readReady', ids: [1] },
      fatal,
      { type: 'readReady', ids: [2] },
    ];
    const { engine, told } = setUp((event) => (event.type === 'read' ? effects : []));
    engine.start();
    engine.step({ type: 'read', id: 1 });
    engine.step({ type: 'read', id: 2 });
    expect(told).toEqual(['readReady', 'failed 84']);
  });

  test('what is done as part of a turn comes before what it steps, and ends the node if it fails', () => {
    const effects: readonly RaftEffect[] = [{ type: 'readReady', ids: [1] }];
    const { engine, told } = setUp((event) => (event.type === 'read' ? effects : []));
    engine.run(() => {
      engine.step({ type: 'read', id: 1 });
      told.push('work');
    });
    expect(told).toEqual(['work', 'readReady']);
    engine.run(unused);
    expect(told.at(-1)).toBe('failed 70');
    engine.run(() => told.push('work'));
    expect(told.at(-1)).toBe('failed 70');
  });

  test('a broken invariant ends the node instead of the process', () => {
    const { engine, told } = setUp((event) => (event.type === 'read' ? unused() : []));
    engine.step({ type: 'read', id: 1 });
    expect(told).toEqual(['failed 70']);
    expect(engine.propose([])).toMatchObject({ accepted: 0, refusal: 'UNAVAILABLE' });
  });
});
