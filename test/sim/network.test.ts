import { describe, expect, test } from 'vitest';
import { createWorld } from '../../sim/world/world.ts';
import { echoClient, echoServer, numbers, running, utf8 } from './echo.ts';

describe('dialling', () => {
  test('is refused when the process is dead or does not listen', () => {
    const world = createWorld({ seed: 1 });
    const server = echoServer(world);
    world.process({ name: 'deaf', isSync: true, start: () => null }).start();
    const toDead = echoClient(world, { name: 'a' });
    const toDeaf = echoClient(world, { name: 'b', address: 'deaf:1' });
    toDead.start();
    toDeaf.start();
    world.runSync(500_000);
    expect(server.program).toBeNull();
    expect(running(toDead).dials).toEqual(['refused']);
    expect(running(toDeaf).dials).toEqual(['refused']);
  });

  test('fails by time-out under a cut in either direction, a pause and a lost machine', () => {
    const outcomes = ['there', 'back', 'pause', 'power'].map((fault) => {
      const world = createWorld({ seed: 1 });
      const server = echoServer(world);
      const client = echoClient(world);
      server.start();
      world.runSync(1_000);
      if (fault === 'there') world.cut('client', 'server');
      if (fault === 'back') world.cut('server', 'client');
      if (fault === 'pause') server.pause();
      if (fault === 'power') server.crash({ isSilent: true });
      client.start();
      world.runSync(900_000);
      expect(running(client).dials).toEqual([]);
      world.runSync(1_100_000);
      return running(client).dials;
    });
    expect(outcomes).toEqual([['failed'], ['failed'], ['failed'], ['failed']]);
  });

  test('a second listener at one address is told so', () => {
    const world = createWorld({ seed: 1 });
    const errors: (string | null)[] = [];
    for (const name of ['a', 'b']) {
      world
        .process({
          name,
          address: 'shared:1',
          isSync: true,
          start: ({ transport }) =>
            transport.listen(
              () => {},
              (error) => errors.push(error?.message ?? null),
            ),
        })
        .start();
    }
    world.runSync(1_000);
    expect(errors).toEqual([null, 'shared:1 is in use']);
  });
});

describe('a link', () => {
  test('carries frames in order under jitter, each as a copy', () => {
    const world = createWorld({ seed: 5, network: { jitterUs: 50_000 } });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(1_000_000);
    const { link } = running(client);
    const frame = utf8.encode('0');
    for (let number = 0; number < 10; number++) {
      frame[0] = 48 + number;
      link?.send(frame);
    }
    world.runSync(2_000_000);
    expect(running(server).received).toEqual([...'0123456789']);
    expect(running(client).received).toEqual([...'0123456789']);
  });

  test('stands still under a cut, in that direction only, and goes on when it is healed', () => {
    const world = createWorld({ seed: 2 });
    const server = echoServer(world);
    const client = echoClient(world, { frames: 300 });
    server.start();
    client.start();
    world.runSync(100_000);
    world.cut('server', 'client');
    world.runSync(200_000);
    const before = running(client).received.length;
    expect(running(server).received.length).toBeGreaterThan(before + 30);
    expect(running(client).closed).toEqual([]);
    world.heal('server', 'client');
    world.runSync(2_000_000);
    expect(running(client).received).toEqual(numbers(300));
  });

  test('ends at the peer when a process dies, after a part of what was under way', () => {
    const arrived = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
      const world = createWorld({ seed });
      const server = echoServer(world);
      const client = echoClient(world);
      server.start();
      client.start();
      world.runSync(100_000);
      for (const number of numbers(9)) running(client).link?.send(utf8.encode(number));
      client.crash();
      world.runSync(200_000);
      expect(running(server).closed).toEqual(['the process is gone']);
      const { received } = running(server);
      expect(received).toEqual(numbers(received.length));
      return received.length;
    });
    expect(new Set(arrived).size).toBeGreaterThan(2);
    expect(Math.min(...arrived)).toBeLessThan(9);
  });

  test('stays half open when a machine loses power, until its next life is spoken to', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world, { frames: 1_000, everyUs: 10_000 });
    server.start();
    client.start();
    world.runSync(100_000);
    server.crash({ isSilent: true });
    world.runSync(1_000_000);
    expect(running(client).closed).toEqual([]);
    server.start();
    world.runSync(1_100_000);
    expect(running(client).closed).toEqual(['reset: the process was restarted']);
    expect(running(server).received).toEqual([]);
  });

  test('without any traffic is cut at both sides when the network in between is gone', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(60_000_000);
    expect([running(client).closed, running(server).closed]).toEqual([[], []]);
    world.cutBoth('client', 'server');
    world.runSync(62_000_000);
    expect([running(client).closed, running(server).closed]).toEqual([[], []]);
    world.runSync(70_000_000);
    const reasons = [['no sign of life'], ['no sign of life']];
    expect([running(client).closed, running(server).closed]).toEqual(reasons);
  });

  test('of a process that sleeps longer than the patience of the other side is cut by that', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(1_000_000);
    server.pause();
    world.runSync(20_000_000);
    expect(running(client).closed).toEqual(['no sign of life']);
    server.resume();
    world.runSync(21_000_000);
    expect(running(server).closed).toEqual(['reset']);
  });

  test('a reset is told to both sides and loses what was under way', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(100_000);
    running(client).link?.send(utf8.encode('lost'));
    world.network.resetLinks('server', 'client');
    world.runSync(200_000);
    expect([running(client).closed, running(server).closed]).toEqual([['reset'], ['reset']]);
    expect(running(server).received).toEqual([]);
  });

  test('may deliver after its successor: an old connection is no proof of an old message', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const first = echoClient(world);
    server.start();
    first.start();
    world.runSync(100_000);
    running(first).link?.send(utf8.encode('old'));
    world.network.stallLinks('client', 'server', 300_000);
    running(first).link?.close('replaced');
    world.runSync(110_000);
    first.crash();
    first.start();
    world.runSync(200_000);
    running(first).link?.send(utf8.encode('new'));
    world.runSync(1_000_000);
    expect(running(server).received).toEqual(['new', 'old']);
    expect(running(server).closed).toEqual(['replaced']);
  });

  test('tells a fast sender to wait while the reader holds, and when it may go on', () => {
    const world = createWorld({ seed: 4, network: { windowBytes: 10_000 } });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(100_000);
    const { link } = running(client);
    let drains = 0;
    if (link !== null) link.onDrain = () => drains++;
    running(server).links[0]?.pause();
    const frame = new Uint8Array(1_000);
    let sends = 1;
    while (link?.send(frame) === true && sends < 1_000) sends++;
    expect(sends).toBe(76);
    expect(link?.bufferedBytes).toBe(66_000);
    world.runSync(200_000);
    expect([running(server).received.length, drains]).toEqual([0, 0]);
    running(server).links[0]?.resume();
    world.runSync(1_000_000);
    expect([running(server).received.length, drains]).toEqual([76, 1]);
    expect(link?.bufferedBytes).toBe(0);
  });

  test('a narrow link takes the time that its bytes need', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(100_000);
    world.network.topology.setRoute('client', 'server', { bandwidth: 100_000 });
    running(client).link?.send(new Uint8Array(50_000));
    world.runSync(550_000);
    expect(running(server).received.length).toBe(0);
    world.runSync(610_000);
    expect(running(server).received.length).toBe(1);
  });
});
