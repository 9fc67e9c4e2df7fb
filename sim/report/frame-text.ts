// Frames in words.

import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';
import { decodeClientMessages, decodeNodeMessages } from '../../src/wire/client.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeBody } from '../../src/wire/command.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import type { PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer } from '../../src/wire/peer.ts';
import { clusterSeed } from '../../src/wire/record.ts';

/** A frame as a person reads it. */
export interface FrameText {
  /** Names of its messages. */
  readonly label: string;
  readonly lines: readonly string[];
  /** Nothing but signs of life. */
  readonly isRoutine: boolean;
}

/** Who speaks: a node to a node, a client to a node, or a node to a client. */
export type Talk = 'peer' | 'client' | 'node';

type AnyMessage = PeerMessage | ClientMessage | NodeMessage;

const ROUTINE: ReadonlySet<string> = new Set([
  'heartbeat',
  'heartbeatResponse',
  'keepAlive',
  'keepAliveReply',
  'hello',
  'welcome',
  'peerHello',
  'attach',
  'stateHash',
  'members',
]);

const VALUE_LENGTH_MAX = 160;

/** Reads frames in the order in which they were sent: handshakes tell of which cluster they are. */
export class FrameReader {
  private seed = 0;

  read(bytes: Uint8Array, talk: Talk): FrameText {
    try {
      const messages = this.decode(bytes, talk);
      const labels = [...new Set(messages.map(labelOf))];
      return {
        label: labels.join(', '),
        lines: messages.map(lineOf),
        isRoutine: messages.every(isRoutine) || messages.some(isGreeting),
      };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return { label: 'garbage', lines: [error.message], isRoutine: false };
    }
  }

  private decode(bytes: Uint8Array, talk: Talk): readonly AnyMessage[] {
    if (talk === 'client') return decodeClientMessages(bytes);
    if (talk === 'node') return decodeNodeMessages(bytes);
    const message = decodePeer(bytes, this.seed);
    if (message.type === 'peerHello' && message.clusterId !== null)
      this.seed = clusterSeed(message.clusterId);
    return [message];
  }
}

/** What a node says of itself to whoever comes. */
function isGreeting({ type }: AnyMessage): boolean {
  return type === 'welcome';
}

function isRoutine(message: AnyMessage): boolean {
  if (message.type === 'append') return message.entries.length === 0;
  return ROUTINE.has(message.type);
}

function labelOf(message: AnyMessage): string {
  if (message.type === 'command') return decodeBody(message.body).op;
  if (message.type === 'query') return message.query.kind;
  if (message.type === 'reply') return message.outcome.code;
  if (message.type === 'voteResponse') return message.granted ? 'vote' : 'no vote';
  if (message.type === 'preVoteResponse') return preVoteText(message);
  if (message.type === 'appendResponse') return appendedText(message);
  if (message.type === 'news') return `news: ${message.news.kind}`;
  if (message.type !== 'append' || message.entries.length === 0) return message.type;
  const { entries } = message;
  const last = entries.at(-1)?.index ?? 0;
  const first = entries[0]?.index ?? 0;
  return first === last ? `append ${first}` : `append ${first}–${last}`;
}

function preVoteText({
  granted,
  reason,
}: Extract<AnyMessage, { type: 'preVoteResponse' }>): string {
  return granted ? 'would vote' : `would not vote (${reason})`;
}

function appendedText({ ok, matchIndex }: Extract<AnyMessage, { type: 'appendResponse' }>): string {
  return ok ? `has ${matchIndex}` : 'does not fit';
}

/** Its name, then every field. */
function lineOf(message: AnyMessage): string {
  if (message.type === 'command') {
    return fieldsOf('command', { ...decodeBody(message.body), requestId: message.requestId });
  }
  if (message.type === 'append') {
    const entries = message.entries.map(({ index, term, type }) => `${index} (t${term}, ${type})`);
    return fieldsOf('append', { ...message, entries: entries.join(' ') || 'none' });
  }
  return fieldsOf(message.type, message);
}

function fieldsOf(name: string, fields: object): string {
  const told = Object.entries(fields)
    .filter(([key]) => key !== 'type')
    .map(([key, value]) => `${key} ${valueText(value)}`);
  return [name, ...told].join(' · ');
}

/** In the manner of JSON, with bytes by their number, cut where it is too long. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return shortened(value);
  const text = JSON.stringify(value, (_, each: unknown) =>
    each instanceof Uint8Array ? `${each.length} bytes` : each,
  );
  return shortened(text ?? String(value));
}

function shortened(text: string): string {
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

/** What applying an entry came to. */
export function outcomeText(outcome: Outcome, events: readonly LockEvent[]): string {
  const told = events.map(({ type, ...fields }) => fieldsOf(type, fields));
  return [fieldsOf(outcome.code, { ...outcome, code: undefined }), ...told]
    .map((line) => line.replace(' · code undefined', ''))
    .join('; ');
}
