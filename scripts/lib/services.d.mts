interface Server {
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface RedisServer extends Server {
  readonly path: string;
}

export interface PostgresServer extends Server {
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
}

export interface MariadbServer extends Server {
  readonly connection: { readonly socketPath: string; readonly user: string };
}

export function findRedis(): string | null;
export function startRedis(program: string, dir: string, isDurable?: boolean): Promise<RedisServer>;
export function findPostgres(): string | null;
export function startPostgres(program: string, dir: string): Promise<PostgresServer>;
export function findMariadb(): string | null;
export function startMariadb(program: string, dir: string): Promise<MariadbServer>;
