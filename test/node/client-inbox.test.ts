import { expect, test } from 'vitest';
import { ClientInbox } from '../../src/node/client-inbox.ts';
import { QueryTurns } from '../../src/node/query-turns.ts';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import { ManualClock } from './manual-clock.ts';

type Question = Extract<ClientMessage, { readonly type: 'query' | 'command' }>;

function list(requestId: number): Question {
  const query = { kind: 'list', prefix: '', after: '', limit: 1_000 } as const;
  return { type: 'query', requestId, query };
}

function command(requestId: number): Question {
  return { type: 'command', requestId, ackedBelow: 0, body: new Uint8Array(10) };
}

function setUp() {
  const clock = new ManualClock();
  const state = { isPaused: false, handled: 0 };
  const undecided: Question[] = [];
  const inbox: ClientInbox = new ClientInbox({
    link: {
      pause: () => (state.isPaused = true),
      resume: () => (state.isPaused = false),
    },
    clock,
    limits: { commandsMax: 8, bytesMax: 1_000 },
    handle: (message) => {
      state.handled += 1;
      if (message.type === 'keepAlive') inbox.beginKeepAlives(message.items.length);
      if (message.type !== 'query' && message.type !== 'command') return;
      inbox.begin(message);
      undecided.push(message);
    },
  });
  const answerAll = (): void => {
    for (const message of undecided.splice(0)) inbox.end(message);
    clock.turn();
  };
  return { inbox, state, undecided, answerAll };
}

test('one frame full of lists comes to its turn little by little', () => {
  const { inbox, state, undecided, answerAll } = setUp();
  inbox.take(Array.from({ length: 100 }, (_, n) => list(n)));
  expect(undecided.length).toBe(4);
  expect(state.isPaused).toBe(true);
  for (let turn = 0; turn < 24; turn++) {
    answerAll();
    expect(undecided.length).toBeLessThanOrEqual(4);
  }
  expect(state).toEqual({ isPaused: true, handled: 100 });
  answerAll();
  expect(state.isPaused).toBe(false);
});

test('commands beyond the limit wait in the frame that they came with', () => {
  const { inbox, state, undecided, answerAll } = setUp();
  inbox.take(Array.from({ length: 20 }, (_, n) => command(n)));
  expect(undecided.length).toBe(8);
  answerAll();
  expect(undecided.map(({ requestId }) => requestId)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
  answerAll();
  answerAll();
  expect(state).toEqual({ isPaused: false, handled: 20 });
});

test('renewals that nobody confirms pause their link', () => {
  const { inbox, state } = setUp();
  const items = Array.from({ length: 5_000 }, (_, nonce) => ({ session: '7-abc', nonce }));
  for (let frame = 0; frame < 3; frame++) inbox.take([{ type: 'keepAlive', items }]);
  expect(state).toEqual({ isPaused: true, handled: 2 });
});

test('nothing of a link that is gone is handled', () => {
  const { inbox, state, answerAll } = setUp();
  inbox.take(Array.from({ length: 20 }, (_, n) => command(n)));
  inbox.stop();
  answerAll();
  expect(state.handled).toBe(8);
});

test('a turn answers one page of locks, whoever asked for how many', () => {
  const soon: (() => void)[] = [];
  const turns = new QueryTurns((callback) => soon.push(callback));
  const lock = { name: 'a', holders: [], ghosts: [], waiters: [], holderCount: 0, waiterCount: 0 };
  const locks = Array.from({ length: 1_000 }, () => lock);
  let answered = 0;
  for (let n = 0; n < 50; n++) {
    turns.add(() => {
      answered += 1;
      return { kind: 'locks', locks, hasMore: false };
    });
  }
  for (let turn = 1; turn <= 50; turn++) {
    expect(answered).toBe(turn);
    soon.shift()?.();
  }
  expect(answered).toBe(50);
});

test('G1 a turn of the loop sorts the holdings of few sessions, however short the pages', () => {
  const soon: (() => void)[] = [];
  const turns = new QueryTurns((callback) => soon.push(callback));
  let answered = 0;
  for (let n = 0; n < 50; n++) {
    turns.add(() => {
      answered += 1;
      return { kind: 'holdings', holdings: { holdings: [], hasMore: true, nextSeq: 1 } };
    });
  }
  for (let turn = 1; turn <= 10; turn++) {
    expect(answered).toBe(5 * turn);
    soon.shift()?.();
  }
});
