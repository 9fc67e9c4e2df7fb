// Real servers for tests of guards; the same as those of the races.

export {
  findMariadb,
  findPostgres,
  findRedis,
  startMariadb,
  startPostgres,
  startRedis,
} from '../../scripts/lib/services.mjs';
export type { MariadbServer, PostgresServer, RedisServer } from '../../scripts/lib/services.mjs';
