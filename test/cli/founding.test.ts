import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createSystemRandom } from '../../src/adapters/system-random.ts';
import { createOwnDoor } from '../../src/adapters/http-door.ts';
import { createWsTransport } from '../../src/adapters/ws-transport.ts';
import { foundCluster } from '../../src/client/founding.ts';
import type { Founded, PlannedNode } from '../../src/client/founding.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { Founding } from '../../src/node/founding.ts';
import type { Link } from '../../src/ports/transport.ts';
import { decodeClientMessages, encodeNodeMessages } from '../../src/wire/client.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';

const clock = createSystemClock();
const random = createSystemRandom();

/** A node's founding door and nothing else: the part that ships, without a disk behind it. */
interface Door extends PlannedNode {
  readonly records: FoundingRecord[];
  /** While false the node does not take a record. */
  isWritable: boolean;
}

async function openDoor(nodeId: string, record: FoundingRecord | null = null): Promise<Door> {
  const transport = createWsTransport({
    listen: { door: createOwnDoor(createServer(), '127.0.0.1:0'), allowedOrigins: [] },
  });
  const records: FoundingRecord[] = [];
  const founding = new Founding(
    {
      nodeId,
      storeId: storeOf(nodeId),
      clock,
      random,
      found: (taken, done) => {
        const exit = { exitCode: 85, message: 'no disk', isDiskFull: false } as const;
        if (door.isWritable) {
          records.push(taken);
          done({
            ok: true,
            value: { slots: slots(nodeId), founding: taken, raft: null, checkpoint: null },
          });
        } else done({ ok: false, exit });
      },
      onFounded: () => {},
      restore: (_piece, done) => done('nothing is restored here'),
      isAdopting: () => false,
    },
    record,
  );
  await new Promise<void>((resolve, reject) => {
    transport.listen(
      (link) => serve(link, founding),
      (error) => (error === null ? resolve() : reject(error)),
    );
  });
  onTestFinished(() => new Promise<void>((resolve) => transport.close(resolve)));
  const door: Door = { id: nodeId, address: transport.address() ?? '', records, isWritable: true };
  return door;
}

function serve(link: Link, founding: Founding): void {
  link.onFrame = (frame) => {
    for (const message of decodeClientMessages(frame)) {
      if (message.type !== 'founding') continue;
      founding.handle(message.step, (result) => {
        const { requestId } = message;
        link.send(encodeNodeMessages([{ type: 'answer', requestId, revision: 0, result }]));
      });
    }
  };
}

function found(nodes: readonly PlannedNode[], patienceMs = 10_000): Promise<Founded> {
  const transport = createWsTransport({});
  onTestFinished(() => new Promise<void>((resolve) => transport.close(resolve)));
  return foundCluster(
    { clock, transport },
    { clusterName: 'local', nodes, limits: DEFAULT_LIMITS, origin: 0, patienceMs },
  );
}

function storeOf(nodeId: string): string {
  return nodeId.charCodeAt(1).toString(16).padStart(32, '0');
}

function slots(nodeId: string) {
  return {
    version: 1,
    formatVersion: 1,
    clusterId: null,
    nodeId,
    storeId: storeOf(nodeId),
    bootCount: 1,
    term: 0,
    vote: null,
    durableFloor: { index: 0, term: 0 },
    fsyncFailed: false,
  };
}

function recordOf(nodeIds: readonly string[], clusterId: string): FoundingRecord {
  const members = nodeIds.map((nodeId) => ({
    nodeId,
    storeId: storeOf(nodeId),
    address: '127.0.0.1:1',
  }));
  return {
    clusterId,
    clusterName: 'local',
    members,
    limits: DEFAULT_LIMITS,
    origin: 0,
    restored: null,
  };
}

const IDS = ['n1', 'n2', 'n3'];
const OURS = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);

describe('founding a cluster', () => {
  test('every blank node gets the one record that the first node made', async () => {
    const doors = await Promise.all(IDS.map((id) => openDoor(id)));
    const result = await found(doors);
    expect(result.founded).toEqual(IDS);
    const records = doors.flatMap((door) => door.records);
    expect(records).toHaveLength(3);
    expect(new Set(records.map((record) => record.clusterId))).toEqual(new Set([result.clusterId]));
    expect(records[2]?.members.map((member) => member.nodeId)).toEqual(IDS);
  });

  test('a second run founds nobody and says which cluster it is', async () => {
    const doors = await Promise.all(IDS.map((id) => openDoor(id)));
    const first = await found(doors);
    expect(await found(doors)).toEqual({ ...first, founded: [] });
  });

  test('two runs side by side found one cluster', async () => {
    const doors = await Promise.all(IDS.map((id) => openDoor(id)));
    const [one, two] = await Promise.all([found(doors), found(doors)]);
    expect(one.clusterId).toBe(two.clusterId);
  });

  test('a half-done founding is completed with the record of the first run', async () => {
    const doors = await Promise.all(IDS.map((id) => openDoor(id)));
    const [first, , last] = doors;
    if (first === undefined || last === undefined) throw new Error('three doors');
    last.isWritable = false;
    await expect(found(doors)).rejects.toThrow('no disk');
    last.isWritable = true;
    const second = await openDoor('n3');
    const result = await found([...doors.slice(0, 2), second]);
    expect(result).toMatchObject({ clusterId: first.records[0]?.clusterId, founded: ['n3'] });
  });

  test('nodes of two clusters are refused, each named with its cluster', async () => {
    const doors = [
      await openDoor('n1', recordOf(IDS, OURS)),
      await openDoor('n2', recordOf(IDS, OTHER)),
      await openDoor('n3'),
    ];
    await expect(found(doors)).rejects.toMatchObject({ code: 'CLUSTER_CHANGED' });
    await expect(found(doors)).rejects.toThrow(new RegExp(`n1: .*${OURS}.*n2: .*${OTHER}`));
    expect(doors[2]?.records).toEqual([]);
  });

  test('a blank node with another directory than the record names is refused', async () => {
    const [, ...members] = recordOf(IDS, OURS).members;
    const lost = { nodeId: 'n1', storeId: 'c'.repeat(32), address: '127.0.0.1:1' };
    const record = { ...recordOf(IDS, OURS), members: [lost, ...members] };
    const doors = [
      await openDoor('n1'),
      await openDoor('n2', record),
      await openDoor('n3', record),
    ];
    await expect(found(doors)).rejects.toThrow('the data directory of n1');
    expect(doors[0]?.records).toEqual([]);
  });

  test('a file with another set of nodes than the record is refused while one is blank', async () => {
    const doors = [await openDoor('n1', recordOf(['n1', 'n2'], OURS)), await openDoor('n2')];
    const third = await openDoor('n3');
    await expect(found([...doors, third])).rejects.toThrow('founded without n3');
    await expect(found(doors)).resolves.toMatchObject({ founded: ['n2'] });
  });

  test('a node that is not who the file says is refused', async () => {
    const doors = [await openDoor('n1'), await openDoor('n2')];
    const swapped = doors.map((door, at) => ({ id: IDS[1 - at] ?? '', address: door.address }));
    await expect(found(swapped)).rejects.toMatchObject({ code: 'CONFIG' });
    expect(doors.flatMap((door) => door.records)).toEqual([]);
  });

  test('every node that cannot be reached is named, and nobody is founded', async () => {
    const door = await openDoor('n1');
    const gone = ['127.0.0.1:1', '127.0.0.1:2'];
    const nodes = [door, ...gone.map((address, at) => ({ id: IDS[at + 1] ?? '', address }))];
    await expect(found(nodes, 200)).rejects.toThrow(/127.0.0.1:1.*127.0.0.1:2/);
    expect(door.records).toEqual([]);
  });
});
