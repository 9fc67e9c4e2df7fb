import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import { describeValue } from '../base/error.ts';
import { invalid } from './request.ts';
import type { HttpEnv } from './routing.ts';

/** What each route reads of the query string; those that are not named read nothing. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/locks': ['prefix', 'after', 'limit'],
  'GET /v1/sessions': ['after', 'limit'],
  'GET /v1/sessions/:id': ['after', 'limit'],
  'GET /v1/watch': ['name', 'prefix', 'after'],
};

/**
 * Throws INVALID for a query parameter that the route does not read, as for a field of a body:
 * whoever misspells `prefix` must not take all locks for those that it asked for.
 */
export function checkQuery(context: Context<HttpEnv>): void {
  const route = matchedRoutes(context).findLast(({ method }) => method !== METHOD_NAME_ALL);
  if (route === undefined) return;
  const known = KNOWN[`${route.method} ${route.path}`] ?? [];
  const unknown = Object.keys(context.req.query()).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const expected = known.length === 0 ? 'no query' : known.join(', ');
  throw invalid(`query: expected ${expected}; got ${describeValue(unknown)}`);
}
