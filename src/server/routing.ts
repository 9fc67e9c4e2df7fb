import type { HttpBindings } from '@hono/node-server';
import type { Host } from '../node/host-types.ts';
import type { Random } from '../ports/random.ts';
import type { AcquireCalls } from './acquire-call.ts';
import type { HostCalls } from './host-calls.ts';
import type { NodeMetrics } from './metrics/metrics.ts';
import type { WatchStreams } from './watch-streams.ts';

/** What every route works with. */
export interface Routing {
  readonly host: Host;
  readonly calls: HostCalls;
  readonly acquires: AcquireCalls;
  readonly streams: WatchStreams;
  readonly metrics: Pick<NodeMetrics, 'contentType' | 'text'>;
  readonly random: Random;
  readonly bodyBytesMax: number;
}

/** Gives routes Node's own request and response beside the web's. */
export interface HttpEnv {
  Bindings: HttpBindings;
}
