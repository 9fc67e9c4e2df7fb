import { describe, expect, test } from 'vitest';
import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import type { Query } from '../../src/wire/client-messages.ts';
import { Lab, tokenIn } from './linear-lab.ts';

const LOOK: Query = { kind: 'inspect', name: 'k1' };

function misfitOf(play: (lab: Lab) => void): string | null {
  const lab = new Lab();
  play(lab);
  const misfit = lab.misfit();
  return misfit === null ? null : `${misfit.oracle} ${misfit.message}`;
}

describe('the certificate', () => {
  test('INV-12 takes an honest history, whatever was lost, repeated or overtaken', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const first = one.acquire(['k1', 'k2']);
      const second = two.acquire(['k1']);
      const lost = one.send(first);
      const late = two.send(second);
      const early = two.ask(LOOK);
      const grant = lab.execute(first);
      const queued = lab.execute(second);
      two.answer(early, lab.look(LOOK));
      one.refuse(lost + 100); // nobody asked
      one.hear(one.send(first), lab.execute(first));
      two.hear(late, queued);
      const token = tokenIn(grant);
      one.call(one.release('k1', token));
      const session = two.session;
      two.news(
        { kind: 'granted', session, acquireSeq: 1, token: lab.revision, slots: [] },
        lab.revision,
      );
      two.call(second);
      one.refuse(one.send(one.acquire(['k3'])));
      one.call(one.acquire(['k1'], 0));
      for (const kind of [
        { kind: 'list', prefix: '', after: '', limit: 10 },
        { kind: 'sessions', after: 0, limit: 1 },
        { kind: 'session', session },
        { kind: 'grant', session, acquireSeq: 1 },
      ] as const) {
        two.answer(two.ask(kind), lab.look(kind));
      }
      two.renewed(two.renew(), 'OK', 9_000);
    });
    expect(problem).toBeNull();
  });

  test('INV-12 a read of what was the case before a known change is stale', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const before = lab.look(LOOK);
      one.call(one.acquire(['k1']));
      two.answer(two.ask(LOOK), before);
    });
    expect(problem).toMatch(/^INV-12 .*had been told before it was asked/);
  });

  test('INV-12 a read that does not show the state of its revision', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const { result } = lab.look(LOOK);
      one.call(one.acquire(['k1']));
      two.answer(two.ask(LOOK), { revision: lab.revision, result });
    });
    expect(problem).toMatch(/^INV-12 .*c2 was answered inspect/);
  });

  test('INV-12 an answer that the log does not give', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      one.call(one.acquire(['k1']), () => ({ code: 'QUEUED', ahead: 0 }));
    });
    expect(problem).toMatch(/^INV-12 acquire 1 .*where it came to/);
  });

  test('INV-12 an acknowledged grant that is not in the log', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const requestId = one.send(one.acquire(['k1']));
      one.hear(requestId, { revision: 2, outcome: { code: 'GRANTED', token: 2, slots: [] } });
    });
    expect(problem).toMatch(/^INV-12 .*never committed/);
  });

  test('INV-12 an entry of another request is no answer', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const [mine, other] = [one.acquire(['k1'], 0), two.acquire(['k2'])];
      const requestId = one.send(mine);
      two.send(other);
      one.hear(requestId, lab.execute(other));
    });
    expect(problem).toMatch(/^INV-12 .*something else stands/);
  });

  test('INV-12 what was sent after an answer is executed after it', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const ahead = one.acquire(['k1']);
      lab.execute(ahead);
      two.call(two.acquire(['k2']));
      one.send(ahead);
    });
    expect(problem).toMatch(/^INV-12 acquire 1 .*had been told before it was sent/);
  });

  test('INV-12 a repetition is answered by an entry of its own', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      const body = one.acquire(['k1']);
      one.send(body);
      const early = lab.execute(body);
      two.call(two.acquire(['k2']));
      one.hear(one.send(body), early);
    });
    expect(problem).toMatch(/^INV-12 acquire 1 .*at 3; 4 was told before it was sent/);
  });

  test('INV-12 news of what did not happen', () => {
    const problem = misfitOf((lab) => {
      const [one, two] = [lab.client('c1'), lab.client('c2')];
      one.call(one.acquire(['k1']));
      two.call(two.acquire(['k1']));
      const { session } = two;
      two.news({ kind: 'granted', session, acquireSeq: 1, token: 4, slots: [] }, lab.revision);
    });
    expect(problem).toMatch(/^INV-12 .*c2 was told granted/);
  });

  test('INV-12 a renewal that was confirmed after the end was known', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      one.call({ op: 'closeSession', session: one.session, seq: one.nextSeq() });
      one.renewed(one.renew(), 'OK', 9_000);
    });
    expect(problem).toMatch(/^INV-12 renewal .*was known/);
  });

  test('INV-12 a session that is said to be gone and lives', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      one.renewed(one.renew(), 'SESSION_GONE', null);
    });
    expect(problem).toMatch(/^INV-12 renewal .*but it lived/);
  });

  test('INV-13 a refused transmission is not in the log', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const body = one.acquire(['k1']);
      const requestId = one.send(body);
      lab.execute(body);
      one.refuse(requestId);
    });
    expect(problem).toMatch(/^INV-13 acquire 1 .*1 entries of 1 transmissions, 1 of them refused/);
  });

  test('INV-13 another transmission may be in the log', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const body = one.acquire(['k1']);
      one.refuse(one.send(body));
      one.send(body);
      lab.execute(body);
    });
    expect(problem).toBeNull();
  });

  test('INV-14 a request that is executed twice', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const body = one.acquire(['k1']);
      const token = tokenIn(one.call(body));
      one.call(one.release('k1', token));
      one.send(body);
      const names = ['k1'];
      const { session } = one;
      const told = { session, acquireSeq: 1, token: 4, names, slots: [], value: null };
      const granted = { type: 'granted', ...told } as const;
      lab.forge(body, { outcome: { code: 'GRANTED', token: 4, slots: [] }, events: [granted] });
    });
    expect(problem).toMatch(/^INV-14 acquire 1 .*took effect again/);
  });

  test('INV-14 a frozen answer that changed', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const body = one.release('k1', 7);
      one.call(body);
      one.send(body);
      lab.forge(body, { outcome: { code: 'DONE' }, events: [] });
    });
    expect(problem).toMatch(/^INV-14 release 1 .*was .*NOT_HOLDER.* then at 3/);
  });

  test('INV-14 a release outside "exactly once" may come again, and finds nothing then', () => {
    const problem = misfitOf((lab) => {
      const one = lab.client('c1');
      const token = tokenIn(one.call(one.acquire(['k1'])));
      const body = { ...one.release('k1', token), seq: UNNUMBERED_SEQ_MIN };
      for (const code of ['DONE', 'NOT_HOLDER']) {
        expect(one.call(body).outcome.code).toBe(code);
      }
    });
    expect(problem).toBeNull();
  });
});
