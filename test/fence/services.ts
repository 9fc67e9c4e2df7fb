// Real servers for tests of guards; the same as those of the races.

export {
  endServer,
  findProgram,
  findRedis,
  startRedis,
  startServer,
} from '../../scripts/lib/services.mjs';
export type { RedisServer } from '../../scripts/lib/services.mjs';
