/** A connection on which commands are pipelined. */
export interface RedisLink {
  /** Resolves with the reply; rejects with Redis' error. */
  ask(...parts: readonly string[]): Promise<string | number | null>;
  close(): void;
}

/** Connects to Redis on the loopback. */
export function connectRedis(port: number): Promise<RedisLink>;
