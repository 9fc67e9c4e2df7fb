// How objects of the library look when a program prints them.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { FakeWorld, failureOf } from './fake-world.ts';

describe('printed', () => {
  test('objects are short, and tell nothing with which others could act in the session', async () => {
    const world = new FakeWorld();
    const client = world.client({ name: 'me' });
    const grant = await world.settle(client.lock('a').acquire());
    const leadership = await world.settle(client.election('e').campaign({ value: 'v' }));
    const watch = client.watch({ prefix: 'a' });
    const texts = [
      client,
      client.lock('a'),
      client.semaphore('s', 4),
      client.election('e'),
      grant,
      leadership,
      watch,
    ].map((each) => inspect(each));
    const { token } = grant;
    expect(texts.slice(1)).toEqual([
      'Lock { names: ["a"] }',
      'Semaphore { name: "s", total: 4 }',
      'Election { name: "e" }',
      `Grant { names: ["a"], token: ${token}, mode: "exclusive", slots: [], isHeld: true }`,
      `Leadership { name: "e", token: ${leadership.token}, value: "v", isHeld: true }`,
      'LockWatch { revision: 0, isOver: false }',
    ]);
    expect(texts[0]).toMatch(/^Client \{ name: "me", clusterId: "c1", .* held: 2, isClosed: false/);
    const all = texts.join() + JSON.stringify(grant);
    expect(all).not.toContain(client.session.id);
    watch.close();
  });

  test('a grant as JSON says what it is, before and after its end', async () => {
    const world = new FakeWorld();
    const grant = await world.settle(world.client().lock('a').acquire());
    const facts = { names: ['a'], token: grant.token, mode: 'exclusive', slots: [] };
    expect(JSON.parse(JSON.stringify(grant))).toEqual({ ...facts, isHeld: true });
    await world.settle(grant.release());
    expect(JSON.parse(JSON.stringify(grant))).toEqual({ ...facts, isHeld: false });
  });
});

describe('refusals', () => {
  test('show a number as what it is, and every option that there is', async () => {
    const none = await failureOf(connect({ nodes: [] }));
    expect(none.message).toContain('(got 0 addresses)');
    const wished = { nodes: ['a:1'], timeout: 5 };
    const unknown = await failureOf(connect(wished));
    expect(unknown.message).toMatch(/no option "timeout".*keepAlive.*connectMs, logger/);
  });
});
