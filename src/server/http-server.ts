import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { NodeConfig } from './config.ts';

/** How often Node looks for connections that are late with their headers or request. */
const LATE_CHECK_MS = 1_000;
const IDLE_MS = 5_000;

const PATHS: readonly string[] = ['/livez', '/readyz', '/leaderz', '/metrics'];

/** Whether a node answers at this path, on a server that it shares with other things. */
export function isNodePath(path: string): boolean {
  return path.startsWith('/v1/') || PATHS.includes(path);
}

/** The server that HTTP and links share. Slow or silent callers are cut, too many turned away. */
export function createHttpServer(limits: NodeConfig['sizeLimits']): Server {
  const server = createServer({
    headersTimeout: limits.httpHeadersMs,
    requestTimeout: Math.max(limits.httpHeadersMs, limits.httpRequestMs),
    connectionsCheckingInterval: LATE_CHECK_MS,
    keepAliveTimeout: IDLE_MS,
    noDelay: true,
  });
  server.maxConnections = limits.httpConnectionsMax + limits.peerLinksMax + limits.clientLinksMax;
  return server;
}
