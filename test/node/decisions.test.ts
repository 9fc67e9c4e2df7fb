import { describe, expect, test } from 'vitest';
import { Decisions } from '../../src/node/decisions.ts';
import type { RaftEvent } from '../../src/raft/events.ts';

describe('decisions of consensus', () => {
  test('reach whoever asked, once', () => {
    const events: RaftEvent[] = [];
    const decisions = new Decisions((event) => events.push(event));
    const told: string[] = [];
    decisions.transfer('n2', (refusal) => told.push(`transfer ${refusal?.code ?? 'done'}`));
    const change = { type: 'change', promote: [], remove: ['n3'] } as const;
    decisions.changeConfig({ change, expectedIndex: 7 }, ({ index }) => told.push(`at ${index}`));
    const [first, second] = events.flatMap((event) => ('id' in event ? event.id : []));
    const refusal = { code: 'TIMEOUT', message: 'late' } as const;
    decisions.settle({ type: 'configDecided', id: second ?? 0, index: 9, refusal: null });
    decisions.settle({ type: 'transferDecided', id: first ?? 0, refusal });
    decisions.settle({ type: 'transferDecided', id: first ?? 0, refusal: null });
    expect(told).toEqual(['at 9', 'transfer TIMEOUT']);
    expect(events).toMatchObject([
      { type: 'transfer', to: 'n2' },
      { type: 'changeConfig', change, expectedIndex: 7 },
    ]);
  });
});
