// The HTTP door, for every other language (DESIGN.md §9). It is a guest of the Host interface:
// whatever it can do, a client link can do too.

import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { cors } from 'hono/cors';
import { METHOD_NAME_ALL } from 'hono/router';
import type { RequestListener } from 'node:http';
import { HoldfastError } from '../base/error.ts';
import type { NodeId } from '../base/units.ts';
import type { Host } from '../node/host-types.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import { AcquireCalls } from './acquire-call.ts';
import { HostCalls } from './host-calls.ts';
import { checkQuery } from './known-query.ts';
import { problemResponse } from './problem.ts';
import { targetOf } from './request.ts';
import { healthRoutes } from './routes-health.ts';
import { lockRoutes } from './routes-locks.ts';
import { metricsRoutes } from './routes-metrics.ts';
import { requestRoutes } from './routes-requests.ts';
import { sessionRoutes } from './routes-sessions.ts';
import { watchRoutes } from './routes-watch.ts';
import type { HttpEnv, Routing } from './routing.ts';
import { WatchStreams } from './watch-streams.ts';
import type { WatchLimits } from './watch-streams.ts';

/** What the HTTP door of a node needs. */
export interface HttpOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** 307 to the leader, or (false) 503 with Retry-After. */
  readonly redirect: boolean;
  readonly allowedOrigins: readonly string[];
  readonly bodyBytesMax: number;
  readonly answerMs: number;
  readonly watches: WatchLimits;
  readonly metrics: Routing['metrics'];
  /** Where callers of a node are sent to, if not to the address that the log has. */
  readonly advertised: (nodeId: NodeId) => string | null;
}

/** Answers the requests of a node's HTTP server. */
export function createHttpListener(options: HttpOptions): RequestListener {
  const app = createApp(options);
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  });
  return (incoming, outgoing) => {
    listener(incoming, outgoing).catch((error: unknown) => {
      options.logger.warn('an HTTP request could not be answered', { error: String(error) });
      outgoing.destroy();
    });
  };
}

function createApp(options: HttpOptions): Hono<HttpEnv> {
  const { host, clock, random, answerMs, bodyBytesMax, metrics } = options;
  const calls = new HostCalls({ host, clock, answerMs });
  const routing: Routing = {
    host,
    calls,
    acquires: new AcquireCalls(calls),
    streams: new WatchStreams({ host, clock }, options.watches),
    metrics,
    random,
    bodyBytesMax,
  };
  const app = new Hono<HttpEnv>();
  app.use(async (context, next) => {
    const origin = context.req.header('Origin');
    if (origin === undefined || options.allowedOrigins.includes(origin)) return next();
    throw new HoldfastError('NOT_AUTHORISED', `scripts of ${origin} may not use this node`);
  });
  app.use(cors({ origin: [...options.allowedOrigins] }));
  app.use((context, next) => {
    checkQuery(context);
    return next();
  });
  healthRoutes(app, routing);
  metricsRoutes(app, routing);
  sessionRoutes(app, routing);
  requestRoutes(app, routing);
  lockRoutes(app, routing);
  watchRoutes(app, routing);
  refuseOtherMethods(app);
  app.notFound((context) => {
    const { path } = context.req;
    const hint = path.startsWith('/v1/locks/') ? '; a slash in a name is written as %2F' : '';
    const error = new HoldfastError('INVALID', `there is no ${path} here${hint}`);
    return problemResponse(error, { status: 404, title: 'no such path' });
  });
  app.onError((error, context) => answerError(error, context, options));
  return app;
}

// After all routes: at every path that some method has, the others are answered 405.
function refuseOtherMethods(app: Hono<HttpEnv>): void {
  const methods = new Map<string, string[]>();
  for (const { method, path } of app.routes) {
    if (method === METHOD_NAME_ALL) continue;
    // Whoever may GET may ask for the headers alone.
    const names = method === 'GET' ? ['GET', 'HEAD'] : [method];
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  for (const [path, names] of methods) {
    const allowed = names.join(', ');
    app.all(path, ({ req }) => {
      const text = `${req.path}: expected ${allowed}; got ${req.method}`;
      const options = { status: 405, title: 'no such method', headers: { Allow: allowed } };
      return problemResponse(new HoldfastError('INVALID', text), options);
    });
  }
}

function answerError(error: Error, context: Context<HttpEnv>, options: HttpOptions): Response {
  if (!HoldfastError.is(error)) {
    const { method, path } = context.req;
    const fields = { method, path, error: error.stack ?? error.message };
    options.logger.error('an HTTP request failed by a bug', fields);
    return problemResponse(new HoldfastError('INTERNAL', 'see the log of the node'));
  }
  if (error.code !== 'NOT_LEADER' || !options.redirect) return problemResponse(error);
  const address = leaderAddress(options);
  if (address === null) return problemResponse(error);
  const location = `http://${address}${targetOf(context)}`;
  return problemResponse(error, { status: 307, headers: { Location: location } });
}

function leaderAddress({ host, advertised }: HttpOptions): string | null {
  const { nodeId, leaderId, leaderAddress: address } = host.status();
  if (leaderId === null || leaderId === nodeId) return null;
  return advertised(leaderId) ?? address;
}
