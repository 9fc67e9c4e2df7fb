// Random small histories: clients of an honest leader, whose answers come late or never, and
// sometimes one answer is bent.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/locks/outcomes.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { judgeHistory } from '../../sim/oracle/history-check.ts';
import { searchLinearizable } from '../../sim/oracle/search.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { Lab } from './linear-lab.ts';
import type { LabClient } from './linear-lab.ts';

interface Move {
  readonly who: number;
  readonly kind: 'lock' | 'try' | 'both' | 'release' | 'cancel' | 'look' | 'repeat' | 'renew';
  readonly key: number;
  /** Moves that its answer is late by; many: it never comes. */
  readonly late: number;
}

const move = fc.record<Move>({
  who: fc.nat(2),
  kind: fc.constantFrom('lock', 'try', 'both', 'release', 'cancel', 'look', 'repeat', 'renew'),
  key: fc.nat(1),
  late: fc.constantFrom(0, 0, 0, 1, 3, 99),
});

interface Worker {
  readonly client: LabClient;
  readonly sent: CommandBody[];
  readonly tokens: number[];
}

function bodyOf({ client, sent, tokens }: Worker, { kind, key }: Move): CommandBody | null {
  const name = `k${key + 1}`;
  const last = sent.findLast((body) => body.op === 'acquire');
  switch (kind) {
    case 'lock':
      return client.acquire([name]);
    case 'try':
      return client.acquire([name], 0);
    case 'both':
      return client.acquire(['k1', 'k2']);
    case 'release':
      return tokens.length === 0 ? null : client.release(name, tokens.at(-1) ?? 0);
    case 'cancel':
      return last?.op !== 'acquire' ? null : cancelOf(client, last.seq);
    case 'repeat':
      return sent.at(-1) ?? null;
    default:
      return null;
  }
}

function cancelOf(client: LabClient, acquireSeq: number): CommandBody {
  return { op: 'cancel', session: client.session, seq: client.nextSeq(), acquireSeq };
}

/** Plays the moves; the answer to move number `bent` is a lie. */
function play(lab: Lab, moves: readonly Move[], bent: number): void {
  const workers = ['c1', 'c2', 'c3'].map((name): Worker => {
    return { client: lab.client(name), sent: [], tokens: [] };
  });
  const due: { readonly at: number; tell(): void }[] = [];
  moves.forEach((each, at) => {
    const worker = workers[each.who];
    if (worker !== undefined)
      due.push({ at: at + each.late, tell: act(lab, worker, each, at === bent) });
    for (const { tell } of due.filter((waiting) => waiting.at === at)) tell();
  });
}

const EMPTY = {
  kind: 'lock',
  lock: { name: 'k1', holders: [], ghosts: [], waiters: [], holderCount: 0, waiterCount: 0 },
  leftMs: { holders: [], ghosts: [] },
} as const;

/** Does it at once; the answer comes when it is told. */
function act(lab: Lab, worker: Worker, move: Move, isBent: boolean): () => void {
  const { client, sent, tokens } = worker;
  if (move.kind === 'renew') {
    const nonce = client.renew();
    return () => client.renewed(nonce, 'OK', 9_000);
  }
  const body = bodyOf(worker, move);
  if (body === null) {
    const query = { kind: 'inspect', name: `k${move.key + 1}` } as const;
    const id = client.ask(query);
    const honest = lab.look(query);
    const answer = isBent ? { ...honest, result: EMPTY } : honest;
    return () => client.answer(id, answer);
  }
  sent.push(body);
  const id = client.send(body);
  const { revision, outcome } = lab.execute(body);
  if (outcome.code === 'GRANTED') tokens.push(outcome.token);
  return () => client.hear(id, { revision, outcome: isBent ? lieAbout(outcome) : outcome });
}

function lieAbout(outcome: Outcome): Outcome {
  if (outcome.code === 'GRANTED') return { ...outcome, token: outcome.token + 1 };
  return outcome.code === 'DONE' ? { code: 'NOT_HOLDER', message: '' } : { code: 'DONE' };
}

function judge(lab: Lab): { isFit: boolean; search: string } {
  const verdict = new Verdict(() => 0);
  const log = { entries: lab.entries, at: (index: number) => lab.entries[index - 1] };
  judgeHistory({ history: lab.history, log, verdict, noise: 1 });
  return { isFit: verdict.violation === null, search: searchLinearizable(lab.history) };
}

const moves = fc.array(move, { maxLength: 24, size: 'max' });

describe('certificate and search', () => {
  test('INV-12 both take every honest history', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const lab = new Lab();
        play(lab, list, -1);
        expect(lab.misfit()).toBeNull();
        expect(searchLinearizable(lab.history)).toBe('linearizable');
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  test('INV-12 what the search finds a lie, the certificate does not take', () => {
    let lies = 0;
    let seen = 0;
    fc.assert(
      fc.property(moves, fc.nat(14), (list, bent) => {
        const lab = new Lab();
        play(lab, list, bent);
        const { isFit, search } = judge(lab);
        if (!isFit) lies++;
        if (search === 'not') seen++;
        expect(isFit && search === 'not').toBe(false);
      }),
      { numRuns: 300, seed: 6 },
    );
    expect(lies).toBeGreaterThan(50);
    expect(seen).toBeGreaterThan(10);
  });
});
