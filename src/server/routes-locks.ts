// Locks over HTTP: acquire, release, inspect, list, break.

import type { Hono } from 'hono';
import { z } from 'zod';
import type { HttpEnv, Routing } from './routing.ts';
import { callerOf, fields, invalid, pathName, queryNumber, readBody, whole } from './request.ts';
import { lockJson } from './views.ts';

const WAIT_MS_MAX = 60_000;
const LIST_LIMIT_MAX = 1_000;
/** Answers that a caller who does not acknowledge may still ask for again. */
const RETRY_WINDOW = 1_000;

const acquireBody = z.strictObject(
  {
    session: fields.session,
    seq: fields.seq.optional(),
    ackedBelow: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    waitMs: whole(0, WAIT_MS_MAX).default(0),
    mode: z.enum(['exclusive', 'shared'], '"exclusive" or "shared"').default('exclusive'),
    permits: z
      .tuple([whole(1, 1_000_000), whole(1, 1_000_000)], 'a pair [taken, total]')
      .optional(),
    meta: fields.meta.default({}),
  },
  'an object',
);

const releaseBody = z.strictObject(
  {
    session: fields.session,
    token: fields.token,
    acquireSeq: fields.acquireSeq.optional(),
    seq: fields.seq.optional(),
    ackedBelow: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  },
  'an object',
);

const breakBody = z.strictObject(
  {
    token: fields.token,
    session: fields.session.optional(),
    reason: fields.text.min(1, 'a text: why'),
    by: fields.text.optional(),
  },
  'an object',
);

/** /v1/locks and what lies below it. */
export function lockRoutes(app: Hono<HttpEnv>, routing: Routing): void {
  acquireAndRelease(app, routing);
  inspectAndList(app, routing);

  app.post('/v1/locks/:name/break', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, breakBody, routing.bodyBytesMax);
    const { token, reason, session = null } = body;
    const by = body.by ?? `HTTP from ${context.env.incoming.socket.remoteAddress ?? 'unknown'}`;
    const { revision } = await routing.calls.execute({
      op: 'break',
      name,
      token,
      session,
      by,
      reason,
    });
    return context.json({ revision });
  });
}

function acquireAndRelease(app: Hono<HttpEnv>, routing: Routing): void {
  const { calls, acquires, seqs, bodyBytesMax } = routing;

  app.post('/v1/locks/:name/acquire', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, acquireBody, bodyBytesMax);
    const { session, seq, waitMs, mode, permits = null } = body;
    if (waitMs > 0 && seq === undefined) {
      // A retry must find the waiter or grant that a lost answer was about.
      throw invalid('seq: expected a number for this request, for waitMs is above 0; got nothing');
    }
    const grant = await acquires.acquire(
      {
        session,
        seq: seq ?? seqs.next(),
        ackedBelow: acknowledged(body),
        name,
        mode,
        permits,
        waitMs,
        meta: JSON.stringify(body.meta),
      },
      callerOf(context),
    );
    return context.json(grant);
  });

  app.post('/v1/locks/:name/release', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, releaseBody, bodyBytesMax);
    const { session, token, seq = seqs.next(), acquireSeq = null } = body;
    const release = { op: 'release', session, seq, name, acquireSeq, token } as const;
    const { revision } = await calls.execute(release, acknowledged(body));
    return context.json({ revision });
  });
}

function inspectAndList(app: Hono<HttpEnv>, { calls }: Routing): void {
  app.get('/v1/locks/:name', async (context) => {
    const { revision, result } = await calls.query({ kind: 'inspect', name: pathName(context) });
    if (result.kind !== 'lock') throw new Error(`inspect was answered with ${result.kind}`);
    return context.json({ ...lockJson(result.lock), revision });
  });

  app.get('/v1/locks', async (context) => {
    const range = { min: 1, max: LIST_LIMIT_MAX, normal: LIST_LIMIT_MAX };
    const limit = queryNumber(context, 'limit', range);
    const prefix = context.req.query('prefix') ?? '';
    const after = context.req.query('after') ?? '';
    const { revision, result } = await calls.query({ kind: 'list', prefix, after, limit });
    if (result.kind !== 'locks') throw new Error(`list was answered with ${result.kind}`);
    const { locks, hasMore } = result;
    return context.json({ locks: locks.map(lockJson), hasMore, revision });
  });
}

// Without a number nothing is stored, so there is nothing to acknowledge either.
function acknowledged(body: { seq?: number | undefined; ackedBelow?: number | undefined }): number {
  if (body.seq === undefined) return 0;
  return body.ackedBelow ?? Math.max(0, body.seq - RETRY_WINDOW);
}
