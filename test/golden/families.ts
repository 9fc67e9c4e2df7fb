// Everything that has bytes: on disk, between nodes, between clients and nodes. One family for each
// thing that has a version of its own.

import { CLIENT_PROTOCOL } from '../../src/wire/client-messages.ts';
import {
  decodeClientMessages,
  decodeNodeMessages,
  encodeClientMessages,
  encodeNodeMessages,
} from '../../src/wire/client.ts';
import { decodeBody, encodeBody } from '../../src/wire/command.ts';
import { PEER_PROTOCOL } from '../../src/wire/peer-messages.ts';
import type { PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { joinRecords } from '../../src/wire/record.ts';
import { SLOT_FORMAT_VERSION } from '../../src/wire/slots.ts';
import { CLIENT_MESSAGES, NODE_MESSAGES } from '../wire/client-samples.ts';
import { BODIES, PEER_MESSAGES, SEED } from '../wire/samples.ts';
import { diskItems } from './disk-items.ts';
import { item } from './item.ts';
import type { GoldenItem } from './item.ts';
import { transferItems } from './transfer-items.ts';

/** What is pinned together, under one version. */
export interface Family {
  readonly name: string;
  readonly version: number;
  readonly items: readonly GoldenItem[];
}

/** All families, as this program writes and reads them. */
export function families(): readonly Family[] {
  return [
    { name: 'disk', version: SLOT_FORMAT_VERSION, items: [...diskItems(), ...commandItems()] },
    { name: 'peer', version: PEER_PROTOCOL.max, items: [...peerItems(), ...transferItems()] },
    { name: 'client', version: CLIENT_PROTOCOL.max, items: clientItems() },
    { name: 'node', version: CLIENT_PROTOCOL.max, items: nodeItems() },
  ];
}

function commandItems(): readonly GoldenItem[] {
  return Object.entries(BODIES).map(([op, body]) =>
    item({
      name: `command/${op}`,
      about: `what a client asks for with ${op}, and a log entry carries`,
      value: body,
      encode: encodeBody,
      decode: decodeBody,
    }),
  );
}

function peerItems(): readonly GoldenItem[] {
  return Object.entries(PEER_MESSAGES).map(([type, message]) =>
    item({
      name: type,
      about: `a frame between nodes, ${type}`,
      value: withOwnRecords(message),
      encode: () => encodePeer(message, SEED),
      decode: (bytes) => withOwnRecords(decodePeer(bytes, SEED)),
    }),
  );
}

// Entries share the memory that their records lie in, if they have any; each is shown with its own.
function withOwnRecords(message: PeerMessage): PeerMessage {
  if (message.type !== 'append') return message;
  const entries = message.entries.map((entry) => ({
    ...entry,
    record: joinRecords([entry], SEED),
  }));
  return { ...message, entries };
}

function clientItems(): readonly GoldenItem[] {
  return Object.entries(CLIENT_MESSAGES).map(([name, message]) =>
    item({
      name,
      about: `a frame of a client, ${name}`,
      value: message,
      encode: (value) => encodeClientMessages([value]),
      decode: (bytes) => decodeClientMessages(bytes)[0],
    }),
  );
}

function nodeItems(): readonly GoldenItem[] {
  return Object.entries(NODE_MESSAGES).map(([name, message]) =>
    item({
      name,
      about: `a frame of a node to a client, ${name}`,
      value: message,
      encode: (value) => encodeNodeMessages([value]),
      decode: (bytes) => decodeNodeMessages(bytes)[0],
    }),
  );
}
