// GET /v1/watch: what happens to locks, told as it happens.

import type { Context, Hono } from 'hono';
import { describeValue } from '../base/error.ts';
import { nameProblem } from '../base/name.ts';
import type { Revision } from '../base/units.ts';
import type { WatchTarget } from '../wire/client-messages.ts';
import type { HttpEnv, Routing } from './routing.ts';
import { invalid } from './request.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Proxies that gather answers before they pass them on would hold events back for minutes.
  'X-Accel-Buffering': 'no',
};

/** GET /v1/watch?name=… or ?prefix=…, from `after` or Last-Event-ID on. */
export function watchRoutes(app: Hono<HttpEnv>, { streams }: Routing): void {
  app.get('/v1/watch', async (context) => {
    const request = { target: watchTarget(context), after: resumeAfter(context) };
    const { incoming, outgoing } = context.env;
    const body = await streams.open(request, { cut: () => outgoing.destroy() });
    if (incoming.method !== 'HEAD') return context.body(body, 200, HEADERS);
    await body.cancel(); // nobody will read it
    return context.body(null, 200, HEADERS);
  });
}

function watchTarget(context: Context<HttpEnv>): WatchTarget {
  const name = context.req.query('name');
  const prefix = context.req.query('prefix');
  if (name === undefined) return { name: null, prefix: prefix ?? '' };
  if (prefix !== undefined) throw invalid('name: expected a name or a prefix; got both');
  const problem = nameProblem(name);
  if (problem !== null) throw invalid(`name: ${problem}`);
  return { name, prefix: '' };
}

// A browser that comes again sends the same query as at first, and Last-Event-ID with it.
function resumeAfter(context: Context<HttpEnv>): Revision | null {
  const lastId = context.req.header('Last-Event-ID');
  if (lastId !== undefined && lastId !== '') return revision('Last-Event-ID', lastId);
  const after = context.req.query('after');
  return after === undefined ? null : revision('after', after);
}

function revision(field: string, text: string): Revision {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw invalid(`${field}: expected a revision, a whole number; got ${describeValue(text)}`);
}
