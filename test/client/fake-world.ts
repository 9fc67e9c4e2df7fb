import { HoldfastError } from '../../src/base/error.ts';
import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { Logger } from '../../src/ports/logger.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { ADDRESSES, FakeCluster } from './fake-cluster.ts';
import { FakeNetwork } from './fake-network.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The HoldfastError that the promise rejects with; anything else fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<HoldfastError> {
  try {
    await promise;
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error('expected a rejection');
}

/** A cluster, a network and a clock that tests hold in their hands. */
export class FakeWorld {
  readonly clock = new VirtualClock();
  readonly network = new FakeNetwork(this.clock);
  readonly cluster = new FakeCluster(this.clock, this.network);
  readonly warnings: string[] = [];
  private seed = 0x2545f491;

  /** A client of all three nodes unless told otherwise. */
  client(options: Partial<ClientOptions> = {}): Client {
    const logger: Logger = {
      ...silentLogger,
      warn: (message) => void this.warnings.push(message),
    };
    const { clock, network: transport } = this;
    const random = { u32: () => this.nextRandom() };
    const ports = { clock, transport, random, logger };
    return createClient(ports, { nodes: ADDRESSES, ttlMs: 15_000, ...options });
  }

  run(ms: number): Promise<void> {
    return this.clock.run(ms);
  }

  settle<T>(promise: Promise<T>, limitMs?: number): Promise<T> {
    return this.clock.settle(promise, limitMs);
  }

  /** Runs until the promise rejects; see failureOf. */
  error(promise: Promise<unknown>, limitMs?: number): Promise<HoldfastError> {
    return this.settle(failureOf(promise), limitMs);
  }

  /** How often a lock is held and waited for. */
  standing(name: string): { readonly holders: number; readonly waiters: number } {
    const { holders, waiters } = this.cluster.locks.inspect(name);
    return { holders: holders.length, waiters: waiters.length };
  }

  /** Monotonic milliseconds since some start. */
  nowMs(): number {
    return this.clock.monoUs() / 1000;
  }

  private nextRandom(): number {
    this.seed ^= this.seed << 13;
    this.seed ^= this.seed >>> 17;
    this.seed ^= this.seed << 5;
    return this.seed >>> 0;
  }
}
