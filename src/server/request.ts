// Reading what an HTTP caller sent. Every refusal is HoldfastError INVALID and says what was
// expected and what came; nothing has happened then.

import type { Context } from 'hono';
import { z } from 'zod';
import { HoldfastError, describeValue } from '../base/error.ts';
import { nameProblem } from '../base/name.ts';
import { UNNUMBERED_SEQ_MIN } from '../locks/commands.ts';
import type { Caller } from './acquire-call.ts';
import type { HttpEnv } from './routing.ts';
import { describeIssues } from './issues.ts';

type HttpContext = Context<HttpEnv>;

/** `/v1/locks/{name}/{verb}` cut at its slashes. */
const SEGMENTS_MAX = 5;

/** A JSON body that fits the schema. */
export async function readBody<T extends z.ZodType>(
  context: HttpContext,
  schema: T,
  bytesMax: number,
): Promise<z.output<T>> {
  const type = context.req.header('Content-Type') ?? 'none';
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw invalid(`Content-Type: expected application/json; got ${type}`);
  }
  const value = parseJson(await readText(context, bytesMax));
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(describeIssues(parsed.error.issues, value));
  return parsed.data;
}

/**
 * The path segment after /v1/locks/ or /v1/sessions/, decoded. Taken from the request line itself:
 * a framework decodes leniently and folds "." and "..", so that two callers could mean different
 * locks by one path, or one lock by different ones.
 */
export function pathValue(context: HttpContext, kind: 'locks' | 'sessions'): string {
  const segments = targetOf(context).split('?', 1)[0]?.split('/') ?? [];
  const [, version, collection, segment = ''] = segments;
  if (version !== 'v1' || collection !== kind || segments.length > SEGMENTS_MAX) {
    throw invalid(`path: expected /v1/${kind}/{one segment}; a slash in it is written as %2F`);
  }
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid(`path: expected percent-encoded UTF-8; got ${describeValue(segment)}`);
  }
}

/** Path and query as they came, without the scheme and host that proxies put before them. */
export function targetOf(context: HttpContext): string {
  return (context.env.incoming.url ?? '/').replace(/^[a-z]+:\/\/[^/]*/i, '');
}

/** The lock name in the path. */
export function pathName(context: HttpContext): string {
  const name = pathValue(context, 'locks');
  const problem = nameProblem(name);
  if (problem !== null) throw invalid(problem);
  return name;
}

/** A whole number in the query string, or `normal` when it is absent. */
export function queryNumber(
  context: HttpContext,
  field: string,
  range: { readonly min: number; readonly max: number; readonly normal: number },
): number {
  const text = context.req.query(field);
  if (text === undefined) return range.normal;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  const expected = `a whole number from ${range.min} to ${range.max}`;
  throw invalid(`${field}: expected ${expected}; got ${describeValue(text)}`);
}

/** Who gives an operator's order: as the body says, else the address that it came from. */
export function operatorOf(context: HttpContext, by: string | undefined): string {
  return by ?? `HTTP from ${context.env.incoming.socket.remoteAddress ?? 'unknown'}`;
}

/** Tells when the connection of the request ends before its answer. */
export function callerOf(context: HttpContext): Caller {
  const { outgoing } = context.env;
  return {
    onGone(listener) {
      if (outgoing.destroyed) {
        listener();
        return () => {};
      }
      outgoing.once('close', listener);
      return () => outgoing.off('close', listener);
    },
  };
}

/** A whole number field. */
export function whole(min: number, max: number): z.ZodInt {
  const expected = `a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/** Fields that several bodies share. */
export const fields = {
  session: z.string('a session id').min(1, 'a session id').max(100, 'a session id'),
  token: whole(1, Number.MAX_SAFE_INTEGER),
  seq: whole(1, UNNUMBERED_SEQ_MIN - 1),
  /** A grant may have been named by the server. */
  acquireSeq: whole(1, Number.MAX_SAFE_INTEGER),
  meta: z.record(z.string(), z.unknown(), 'an object'),
  text: z.string('a text').max(512, 'a text of at most 512 characters'),
  reason: z.string('a text: why').min(1, 'a text: why').max(512, 'at most 512 characters'),
  /** Of an election; its size is the cluster's to judge. */
  value: z.string('a text'),
};

/** The refusal of a request: what was expected and what came. */
export function invalid(message: string): HoldfastError {
  return new HoldfastError('INVALID', message);
}

async function readText(context: HttpContext, bytesMax: number): Promise<string> {
  const { incoming } = context.env;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const tooLong = `body: expected at most ${bytesMax} bytes`;
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw invalid(tooLong);
  try {
    for await (const chunk of incoming) {
      if (!Buffer.isBuffer(chunk)) throw invalid('body: expected bytes');
      bytes += chunk.length;
      if (bytes > bytesMax) throw invalid(tooLong);
      chunks.push(chunk);
    }
  } catch (error) {
    if (HoldfastError.is(error)) throw error;
    throw invalid('body: the connection ended before it was whole');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid('body: expected UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(`body: expected JSON; ${why}`);
  }
}
