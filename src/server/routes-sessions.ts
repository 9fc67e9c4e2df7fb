// Sessions over HTTP: open, keep alive, close; see them, and end those of others.

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { describeValue } from '../base/error.ts';
import { drawNonce, drawUnnumbered } from '../client/draws.ts';
import type { HttpEnv, Routing } from './routing.ts';
import { fields, invalid, operatorOf, pathValue, queryNumber, readBody, whole } from './request.ts';
import { sessionGone } from './host-calls.ts';
import { holdingJson, sessionJson } from './views.ts';

const DEFAULT_TTL_MS = 15_000;
const NONCE_TEXT = '16 characters of base64url: 96 random bits';
const PAGE = { min: 1, max: 1_000, normal: 1_000 };
/** Ranges are the cluster's to judge; these only keep nonsense out. */
const MS_MAX = Number.MAX_SAFE_INTEGER;

const openBody = z.strictObject(
  {
    ttlMs: whole(0, MS_MAX).nullable().default(DEFAULT_TTL_MS),
    lockDelayMs: whole(0, MS_MAX).default(0),
    name: fields.text.default(''),
    meta: fields.meta.default({}),
    nonce: z
      .string(NONCE_TEXT)
      .regex(/^[A-Za-z0-9_-]{16}$/, NONCE_TEXT)
      .optional(),
  },
  'an object',
);

const endBody = z.strictObject({ reason: fields.reason, by: fields.text.optional() }, 'an object');

/** /v1/sessions and what lies below it. */
export function sessionRoutes(app: Hono<HttpEnv>, routing: Routing): void {
  ownSession(app, routing);
  allSessions(app, routing);
}

// What a client does with the session that is its own.
function ownSession(app: Hono<HttpEnv>, routing: Routing): void {
  const { calls, random, bodyBytesMax } = routing;

  app.post('/v1/sessions', async (context) => {
    const body = await readBody(context, openBody, bodyBytesMax);
    const { revision, outcome } = await calls.execute({
      op: 'openSession',
      nonce: body.nonce ?? drawNonce(random),
      ttlMs: body.ttlMs,
      lockDelayMs: body.lockDelayMs,
      name: body.name,
      meta: JSON.stringify(body.meta),
    });
    if (outcome.code !== 'OPENED') throw new Error(`a session was ${outcome.code}, not opened`);
    const { session, ttlMs, lockDelayMs } = outcome;
    return context.json({ session, ttlMs, lockDelayMs, revision });
  });

  app.post('/v1/sessions/:id/keepalive', async (context) => {
    return context.json({ ttlMs: await calls.keepAlive(pathValue(context, 'sessions')) });
  });

  app.delete('/v1/sessions/:id', async (context) => {
    const session = pathValue(context, 'sessions');
    const close = { op: 'closeSession', session, seq: drawUnnumbered(random) } as const;
    const { revision } = await calls.execute(close);
    return context.json({ revision });
  });
}

// What an operator sees of all sessions.
function allSessions(app: Hono<HttpEnv>, { calls, bodyBytesMax }: Routing): void {
  app.get('/v1/sessions', async (context) => {
    const query = { kind: 'sessions', after: afterSession(context) } as const;
    const limit = queryNumber(context, 'limit', PAGE);
    const { revision, result } = await calls.query({ ...query, limit });
    if (result.kind !== 'sessions') throw new Error(`sessions: answered with ${result.kind}`);
    const { sessions, hasMore } = result;
    return context.json({ sessions: sessions.map(sessionJson), hasMore, revision });
  });

  app.get('/v1/sessions/:id', async (context) => {
    const session = pathValue(context, 'sessions');
    const seqs = { min: 0, max: Number.MAX_SAFE_INTEGER, normal: 0 };
    const after = queryNumber(context, 'after', seqs);
    const limit = queryNumber(context, 'limit', PAGE);
    const seen = await calls.query({ kind: 'session', session });
    if (seen.result.kind !== 'session') throw new Error(`session: ${seen.result.kind}`);
    const { session: view, leftMs } = seen.result;
    if (view === null) throw sessionGone(session, 'it holds nothing');
    // A second look, which may be later: what was held until now may have been given back.
    const { revision, result } = await calls.query({ kind: 'holdings', session, after, limit });
    if (result.kind !== 'holdings') throw new Error(`holdings: answered with ${result.kind}`);
    if (result.holdings === null) throw sessionGone(session, 'it holds nothing');
    const { holdings, hasMore } = result.holdings;
    return context.json({
      ...sessionJson(view),
      leaseLeftMs: leftMs,
      holdings: holdings.map(holdingJson),
      hasMore,
      revision,
    });
  });

  app.post('/v1/sessions/:id/end', async (context) => {
    const session = pathValue(context, 'sessions');
    const { reason, by } = await readBody(context, endBody, bodyBytesMax);
    const order = { op: 'endSession', session, by: operatorOf(context, by), reason } as const;
    const { revision } = await calls.execute(order);
    return context.json({ revision });
  });
}

// Sessions are listed in the order of the numbers that their ids begin with.
function afterSession(context: Context<HttpEnv>): number {
  const text = context.req.query('after');
  if (text === undefined) return 0;
  const index = Number(/^(\d{1,15})-/.exec(text)?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(index)) return index;
  throw invalid(`after: expected the id of a session; got ${describeValue(text)}`);
}
