// What a node says to a client, as positional arrays [type, …].

import { unreachable } from '../base/assert.ts';
import type { KeepAliveResult, NodeMessage, SessionNews } from './client-messages.ts';
import { placeFields, readPlace } from './membership.ts';
import { outcomeFields, readOutcome } from './outcome.ts';
import { queryResultFields, readErrorCode, readQueryResult } from './query-result.ts';
import { Reader, choiceOf } from './reader.ts';
import { readSlots } from './slot-lists.ts';
import { readWatchEvent, watchEventFields } from './watch-event.ts';

/** By their numbers on the wire; the list only ever grows at its end. */
export const REPLY_TYPES = [
  'welcome',
  'leader',
  'reply',
  'keepAliveReply',
  'answer',
  'news',
  'goodbye',
  'watching',
  'watchEvents',
  'watchOver',
  'members',
] as const satisfies readonly NodeMessage['type'][];

const KEEP_ALIVE_CODES = [
  'OK',
  'NOT_LEADER',
  'SESSION_GONE',
] as const satisfies readonly KeepAliveResult['code'][];

/** By their numbers on the wire; the list only ever grows at its end. */
export const NEWS_KINDS = [
  'granted',
  'over',
  'ended',
] as const satisfies readonly SessionNews['kind'][];
const OVER_CAUSES = ['withdrawn', 'broken'] as const;
const ENDED_CAUSES = ['closed', 'expired', 'ended'] as const;

/** The message as a positional array. */
export function nodeMessageFields(message: NodeMessage): unknown[] {
  const type = choiceOf(REPLY_TYPES, message.type);
  switch (message.type) {
    case 'welcome':
      return [type, message.version, message.clusterId, message.nodeId, message.storeId];
    case 'leader':
      return [type, message.term, message.leaderId, message.address, message.isReady];
    case 'reply':
      return [type, message.requestId, message.revision, outcomeFields(message.outcome)];
    case 'keepAliveReply':
      return [type, message.items.map(keepAliveFields)];
    case 'answer':
      return [type, message.requestId, message.revision, queryResultFields(message.result)];
    case 'news':
      return [type, message.revision, newsFields(message.news)];
    case 'goodbye':
      return [type, message.code, message.message];
    case 'watching':
      return [type, message.watchId, message.revision, message.isComplete];
    case 'watchEvents':
      return [
        type,
        message.watchId,
        message.revision,
        message.events.map(watchEventFields),
        message.hasMore,
      ];
    case 'watchOver':
      return [type, message.watchId, message.code, message.message];
    case 'members':
      return [type, message.configIndex, message.members.map(placeFields)];
    default:
      return unreachable(message);
  }
}

/** Throws DecodeError. */
export function readNodeMessage(value: unknown, what: string): NodeMessage {
  const read = new Reader(value, what);
  return read.done(readContent(read));
}

function readContent(read: Reader): NodeMessage {
  const type = read.choice('type', REPLY_TYPES);
  switch (type) {
    case 'welcome':
      return {
        type,
        version: read.integer('version', 1),
        clusterId: read.textOrNull('clusterId'),
        nodeId: read.text('nodeId'),
        storeId: read.text('storeId'),
      };
    case 'leader':
      return {
        type,
        term: read.integer('term'),
        leaderId: read.textOrNull('leaderId'),
        address: read.textOrNull('address'),
        isReady: read.flag('isReady'),
      };
    case 'reply':
      return {
        type,
        requestId: read.integer('requestId'),
        revision: read.integer('revision'),
        outcome: readOutcome(read.any('outcome'), 'reply.outcome'),
      };
    case 'keepAliveReply':
      return { type, items: read.list('items', readKeepAlive) };
    case 'answer':
      return {
        type,
        requestId: read.integer('requestId'),
        revision: read.integer('revision'),
        result: readQueryResult(read.any('result'), 'answer.result'),
      };
    case 'news':
      return { type, revision: read.integer('revision'), news: readNews(read.any('news')) };
    case 'goodbye':
      return { type, code: readErrorCode(read, 'code'), message: read.text('message') };
    case 'watching':
    case 'watchEvents':
    case 'watchOver':
      return readWatchContent(type, read);
    case 'members':
      return {
        type,
        configIndex: read.integer('configIndex'),
        members: read.list('members', readPlace),
      };
    default:
      return unreachable(type);
  }
}

type WatchReply = Extract<NodeMessage, { readonly watchId: number }>;

function readWatchContent(type: WatchReply['type'], read: Reader): WatchReply {
  const watchId = read.integer('watchId');
  switch (type) {
    case 'watching':
      return {
        type,
        watchId,
        revision: read.integer('revision'),
        isComplete: read.flag('isComplete'),
      };
    case 'watchEvents':
      return {
        type,
        watchId,
        revision: read.integer('revision'),
        events: read.list('events', readWatchEvent),
        hasMore: read.flag('hasMore'),
      };
    case 'watchOver':
      return {
        type,
        watchId,
        code: readErrorCode(read, 'code'),
        message: read.text('message'),
      };
  }
}

function keepAliveFields(item: KeepAliveResult): unknown[] {
  return [item.session, item.nonce, choiceOf(KEEP_ALIVE_CODES, item.code), item.ttlMs];
}

function readKeepAlive(value: unknown, what: string): KeepAliveResult {
  const read = new Reader(value, what);
  return read.done({
    session: read.text('session'),
    nonce: read.integer('nonce'),
    code: read.choice('code', KEEP_ALIVE_CODES),
    ttlMs: read.integerOrNull('ttlMs'),
  });
}

function newsFields(news: SessionNews): unknown[] {
  const kind = choiceOf(NEWS_KINDS, news.kind);
  switch (news.kind) {
    case 'granted':
      return [kind, news.session, news.acquireSeq, news.token, news.slots];
    case 'over':
      return [
        kind,
        news.session,
        news.acquireSeq,
        news.token,
        choiceOf(OVER_CAUSES, news.cause),
        news.reason,
      ];
    case 'ended':
      return [kind, news.session, choiceOf(ENDED_CAUSES, news.cause), news.reason];
    default:
      return unreachable(news);
  }
}

function readNews(value: unknown): SessionNews {
  const read = new Reader(value, 'news');
  return read.done(readNewsContent(read));
}

function readNewsContent(read: Reader): SessionNews {
  const kind = read.choice('kind', NEWS_KINDS);
  const session = read.text('session');
  switch (kind) {
    case 'granted':
      return {
        kind,
        session,
        acquireSeq: read.integer('acquireSeq', 1),
        token: read.integer('token', 1),
        slots: read.list('slots', readSlots),
      };
    case 'over':
      return {
        kind,
        session,
        acquireSeq: read.integer('acquireSeq', 1),
        token: read.integer('token'),
        cause: read.choice('cause', OVER_CAUSES),
        reason: read.text('reason'),
      };
    case 'ended':
      return {
        kind,
        session,
        cause: read.choice('cause', ENDED_CAUSES),
        reason: read.text('reason'),
      };
    default:
      return unreachable(kind);
  }
}
