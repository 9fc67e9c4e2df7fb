export interface RedisServer {
  readonly path: string;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export function findRedis(): string | null;
export function startRedis(program: string, dir: string, isDurable?: boolean): Promise<RedisServer>;
