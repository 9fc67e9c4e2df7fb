// Real servers for tests of guards; the same as those of the races.

export { findRedis, startRedis } from '../../scripts/lib/services.mjs';
export type { RedisServer } from '../../scripts/lib/services.mjs';
