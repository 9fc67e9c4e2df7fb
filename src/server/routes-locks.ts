// Locks over HTTP as others see them: inspect, list, break.

import type { Hono } from 'hono';
import { z } from 'zod';
import type { HttpEnv, Routing } from './routing.ts';
import { fields, operatorOf, pathName, queryNumber, readBody } from './request.ts';
import { lockJson } from './views.ts';

const LIST_LIMIT_MAX = 1_000;

const breakBody = z.strictObject(
  {
    token: fields.token,
    session: fields.session.optional(),
    reason: fields.reason,
    by: fields.text.optional(),
  },
  'an object',
);

/** GET /v1/locks, GET /v1/locks/{name}, POST /v1/locks/{name}/break. */
export function lockRoutes(app: Hono<HttpEnv>, routing: Routing): void {
  inspectAndList(app, routing);

  app.post('/v1/locks/:name/break', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, breakBody, routing.bodyBytesMax);
    const { token, reason, session = null } = body;
    const by = operatorOf(context, body.by);
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

function inspectAndList(app: Hono<HttpEnv>, { calls }: Routing): void {
  app.get('/v1/locks/:name', async (context) => {
    const { revision, result } = await calls.query({ kind: 'inspect', name: pathName(context) });
    if (result.kind !== 'lock') throw new Error(`inspect was answered with ${result.kind}`);
    return context.json({ ...lockJson(result.lock, result.leftMs), revision });
  });

  app.get('/v1/locks', async (context) => {
    const range = { min: 1, max: LIST_LIMIT_MAX, normal: LIST_LIMIT_MAX };
    const limit = queryNumber(context, 'limit', range);
    const prefix = context.req.query('prefix') ?? '';
    const after = context.req.query('after') ?? '';
    const { revision, result } = await calls.query({ kind: 'list', prefix, after, limit });
    if (result.kind !== 'locks') throw new Error(`list was answered with ${result.kind}`);
    const { locks, hasMore } = result;
    return context.json({ locks: locks.map((lock) => lockJson(lock)), hasMore, revision });
  });
}
