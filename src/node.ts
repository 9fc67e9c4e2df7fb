/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A node inside another Node.js program, and throw-away clusters for tests.
 *
 * @module holdfast/node
 */

import { HoldfastError } from './base/error.ts';
import type { MonoUs } from './base/units.ts';
import type { Clock, Timer } from './ports/clock.ts';
import type { LogFields, Logger } from './ports/logger.ts';
import type { NodeConfigInput } from './server/config.ts';
import { EmbeddedNode } from './server/embedded-node.ts';
import type { CreateNodeOptions, HoldfastNode } from './server/embedded-node.ts';
import type { NodeStatus } from './wire/client-messages.ts';

export { localCluster } from './server/local-cluster.ts';
export type { LocalCluster, LocalClusterOptions } from './server/local-cluster.ts';
export type { FoundOptions, NodeClientOptions, StopOptions } from './server/embedded-node.ts';
export type { MetricsRegistry } from './server/metrics/metrics.ts';
export { HoldfastError };
export type { Clock, CreateNodeOptions, HoldfastNode, LogFields, Logger, NodeConfigInput };
export type { MonoUs, NodeStatus, Timer };

/** Makes a node; nothing happens before `start`. Throws HoldfastError CONFIG. */
export function createNode(options: CreateNodeOptions): HoldfastNode {
  return new EmbeddedNode(options);
}
