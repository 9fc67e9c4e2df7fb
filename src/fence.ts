/**
 * Guards: the check of fencing tokens, made where the data is, in one step with the write.
 *
 * @module holdfast/fence
 */

import { HoldfastError } from './base/error.ts';

export { ERROR_CODES } from './base/error.ts';
export { HoldfastError };
export type {
  ErrorCode,
  ErrorCodeInfo,
  ErrorDetails,
  HoldfastErrorOptions,
  RequestOutcome,
} from './base/error.ts';
export { checkClaim } from './fence/claim.ts';
export type { CheckedClaim, FenceClaim } from './fence/claim.ts';
export { staleToken } from './fence/errors.ts';
export type { StaleFacts } from './fence/errors.ts';
export { memoryFence } from './fence/memory.ts';
export type { MemoryFence, MemoryFenceOptions } from './fence/memory.ts';
export { UNSEEN, admit } from './fence/rule.ts';
export type { FenceState } from './fence/rule.ts';
export type { LockMode } from './locks/commands.ts';
export { redisFence } from './fence/redis.ts';
export type { RedisCaller, RedisClient, RedisFunction, RedisSender } from './fence/redis-client.ts';
export type { RedisFence, RedisFenceOptions, RedisScript } from './fence/redis.ts';
export { levelFence } from './fence/level.ts';
export type { LevelFence, LevelFenceOptions, LevelLike, LevelRow } from './fence/level.ts';
export { fileFence } from './fence/file.ts';
export type { FileContent, FileFence, FileHandleLike, FileSystemLike } from './fence/file.ts';
export { claimHeaders } from './fence/http-headers.ts';
export type { NodeHeaders, WebHeaders } from './fence/http-headers.ts';
export { httpFence } from './fence/http.ts';
export type {
  HttpFence,
  HttpFenceOptions,
  RequestLike,
  ResponseClass,
  ResponseLike,
} from './fence/http.ts';
export { mysqlFence } from './fence/mysql.ts';
export { postgresFence } from './fence/postgres.ts';
export type { SqlFence } from './fence/sql-fence.ts';
export type { SqlConnection } from './fence/sql-client.ts';
export { sqliteFence } from './fence/sqlite.ts';
export type { SqliteFence, SqliteLike, SqliteStatement } from './fence/sqlite.ts';
