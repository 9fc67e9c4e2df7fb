// What a client says, as positional arrays [type, …].

import { unreachable } from '../base/assert.ts';
import { adminFields, readAdmin } from './admin.ts';
import type { ClientMessage, KeepAliveItem, Query } from './client-messages.ts';
import { readStep, stepFields } from './founding-steps.ts';
import { Reader, choiceOf, textItem } from './reader.ts';

/** By their numbers on the wire; the list only ever grows at its end. */
export const REQUEST_TYPES = [
  'hello',
  'command',
  'keepAlive',
  'attach',
  'query',
  'founding',
  'watch',
  'unwatch',
  'admin',
] as const satisfies readonly ClientMessage['type'][];

const QUERIES = [
  'inspect',
  'list',
  'session',
  'sessions',
  'status',
  'grant',
  'holdings',
  'membership',
  'limits',
] as const satisfies readonly Query['kind'][];

/** The message as a positional array. */
export function clientMessageFields(message: ClientMessage): unknown[] {
  const type = choiceOf(REQUEST_TYPES, message.type);
  switch (message.type) {
    case 'hello':
      return [type, message.versionMin, message.versionMax, message.clusterId, message.name];
    case 'command':
      return [type, message.requestId, message.ackedBelow, message.body];
    case 'keepAlive':
      return [type, message.items.map((item) => [item.session, item.nonce])];
    case 'attach':
      return [type, message.sessions];
    case 'query':
      return [type, message.requestId, queryFields(message.query)];
    case 'founding':
      return [type, message.requestId, stepFields(message.step)];
    case 'watch': {
      const { name, prefix } = message.target;
      return [type, message.watchId, name, prefix, message.after];
    }
    case 'unwatch':
      return [type, message.watchId];
    case 'admin':
      return [type, message.requestId, adminFields(message.step)];
    default:
      return unreachable(message);
  }
}

/** Throws DecodeError. */
export function readClientMessage(value: unknown, what: string): ClientMessage {
  const read = new Reader(value, what);
  return read.done(readContent(read));
}

function readContent(read: Reader): ClientMessage {
  const type = read.choice('type', REQUEST_TYPES);
  switch (type) {
    case 'hello':
      return {
        type,
        versionMin: read.integer('versionMin', 1),
        versionMax: read.integer('versionMax', 1),
        clusterId: read.textOrNull('clusterId'),
        name: read.text('name'),
      };
    case 'command':
      return {
        type,
        requestId: read.integer('requestId'),
        ackedBelow: read.integer('ackedBelow'),
        body: read.bytes('body'),
      };
    case 'keepAlive':
      return { type, items: read.list('items', readKeepAlive) };
    case 'attach':
      return { type, sessions: read.list('sessions', textItem) };
    case 'query':
      return { type, requestId: read.integer('requestId'), query: readQuery(read.any('query')) };
    case 'founding':
      return { type, requestId: read.integer('requestId'), step: readStep(read.any('step')) };
    case 'watch':
      return {
        type,
        watchId: read.integer('watchId'),
        target: { name: read.textOrNull('name'), prefix: read.text('prefix') },
        after: read.integerOrNull('after'),
      };
    case 'unwatch':
      return { type, watchId: read.integer('watchId') };
    case 'admin':
      return { type, requestId: read.integer('requestId'), step: readAdmin(read.any('step')) };
    default:
      return unreachable(type);
  }
}

function readKeepAlive(value: unknown, what: string): KeepAliveItem {
  const read = new Reader(value, what);
  return read.done({ session: read.text('session'), nonce: read.integer('nonce') });
}

function queryFields(query: Query): unknown[] {
  const kind = choiceOf(QUERIES, query.kind);
  switch (query.kind) {
    case 'inspect':
      return [kind, query.name];
    case 'list':
      return [kind, query.prefix, query.after, query.limit];
    case 'session':
      return [kind, query.session];
    case 'sessions':
      return [kind, query.after, query.limit];
    case 'status':
    case 'membership':
    case 'limits':
      return [kind];
    case 'grant':
      return [kind, query.session, query.acquireSeq];
    case 'holdings':
      return [kind, query.session, query.after, query.limit];
    default:
      return unreachable(query);
  }
}

function readQuery(value: unknown): Query {
  const read = new Reader(value, 'query');
  return read.done(readQueryContent(read));
}

function readQueryContent(read: Reader): Query {
  const kind = read.choice('kind', QUERIES);
  switch (kind) {
    case 'inspect':
      return { kind, name: read.text('name') };
    case 'list':
      return {
        kind,
        prefix: read.text('prefix'),
        after: read.text('after'),
        limit: read.integer('limit', 1),
      };
    case 'session':
      return { kind, session: read.text('session') };
    case 'sessions':
      return { kind, after: read.integer('after'), limit: read.integer('limit', 1) };
    case 'status':
    case 'membership':
    case 'limits':
      return { kind };
    case 'grant':
      return { kind, session: read.text('session'), acquireSeq: read.integer('acquireSeq', 1) };
    case 'holdings':
      return {
        kind,
        session: read.text('session'),
        after: read.integer('after'),
        limit: read.integer('limit', 1),
      };
    default:
      return unreachable(kind);
  }
}
