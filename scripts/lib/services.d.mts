import type { ChildProcess } from 'node:child_process';

export interface RedisServer {
  readonly path: string;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export function findProgram(names: readonly string[], debianPackage: string): string | null;
export function findRedis(): string | null;
export function startRedis(program: string, dir: string, isDurable?: boolean): Promise<RedisServer>;
export function startServer(
  program: string,
  words: readonly string[],
  socketPath: string,
): Promise<ChildProcess>;
export function endServer(child: ChildProcess, signal?: NodeJS.Signals): Promise<void>;
