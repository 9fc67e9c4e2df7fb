// Sessions over HTTP: open, keep alive, close.

import type { Hono } from 'hono';
import { z } from 'zod';
import type { HttpEnv, Routing } from './routing.ts';
import { fields, pathValue, readBody, whole } from './request.ts';

const DEFAULT_TTL_MS = 15_000;
const NONCE_TEXT = '16 characters of base64url: 96 random bits';
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

/** POST /v1/sessions, POST /v1/sessions/{id}/keepalive, DELETE /v1/sessions/{id}. */
export function sessionRoutes(app: Hono<HttpEnv>, routing: Routing): void {
  const { calls, seqs, bodyBytesMax } = routing;

  app.post('/v1/sessions', async (context) => {
    const body = await readBody(context, openBody, bodyBytesMax);
    const { revision, outcome } = await calls.execute({
      op: 'openSession',
      nonce: body.nonce ?? drawNonce(routing),
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
    const close = { op: 'closeSession', session, seq: seqs.next() } as const;
    const { revision } = await calls.execute(close);
    return context.json({ revision });
  });
}

function drawNonce({ random }: Routing): string {
  const bits = new Uint32Array([random.u32(), random.u32(), random.u32()]);
  return Buffer.from(bits.buffer).toString('base64url');
}
