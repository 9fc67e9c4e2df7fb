// Runs a command that must not outlive its lock: without a shell, with our stdin, stdout and
// stderr, and so that it and its descendants can all be ended in time.
//
// - Off a terminal the child leads a session and process group of its own, so that a signal
//   reaches everything in it. On a terminal it stays in our group: only there the terminal lets it
//   read, and Ctrl-C, Ctrl-Z and `fg` work as if the command had been started directly.
// - Nothing here touches process.stdin or process.stdout: opening them would set pipes that the
//   child shares with us to non-blocking, and its writes would fail with EAGAIN.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, Failure, signalExitCode } from './exit-code.ts';
import { descendants, readProcess, readProcesses } from './process-tree.ts';
import type { TreeRoot } from './process-tree.ts';

/** Signals that are passed on to the child. */
export const FORWARDED_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
] as const satisfies readonly NodeJS.Signals[];

/** One of the signals that are passed on. */
export type ForwardedSignal = (typeof FORWARDED_SIGNALS)[number];

export interface ChildSettings {
  /** The program and its arguments; nothing is interpreted. */
  readonly argv: readonly string[];
  /** Put before argv: see deathSignalPrefix. */
  readonly prefix: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `NAME=value` of the environment that no other process has: marks descendants. */
  readonly mark: string;
  /** Whether this process has a terminal to share. */
  readonly isOnTerminal: boolean;
}

/** A command that runs. */
export interface Child {
  readonly pid: number;
  /** The exit code that a shell would report: its own, or 128 + the number of its signal. */
  readonly ended: Promise<number>;
  forward(signal: ForwardedSignal): void;
  /**
   * Ends the child and every descendant: SIGTERM, and after `graceMs` SIGKILL. With `graceMs` 0
   * SIGKILL at once. Resolves when none is left.
   */
  stop(graceMs: number): Promise<void>;
}

const POLL_MS = 20;
/** After SIGKILL only a process stuck in the kernel remains; nobody can wait for that for ever. */
const KILL_ROUNDS_MAX = 250;

/** Starts a command. Rejects with a Failure (126, 127) when the system cannot execute it. */
export async function startChild(settings: ChildSettings): Promise<Child> {
  const [file = '', ...args] = [...settings.prefix, ...settings.argv];
  const process_ = spawn(file, args, {
    stdio: 'inherit',
    env: { ...settings.environment },
    detached: !settings.isOnTerminal,
  });
  const ended = new Promise<number>((resolve) => {
    process_.once('exit', (code, signal) => {
      resolve(signal === null ? (code ?? EXIT.internal) : signalExitCode(signal));
    });
  });
  try {
    await once(process_, 'spawn');
  } catch (error) {
    throw spawnFailure(settings.argv[0] ?? '', error);
  }
  const { pid } = process_;
  if (pid === undefined) throw new Failure(EXIT.internal, 'INTERNAL: a child without a pid');
  const root = { pid, hasOwnSession: !settings.isOnTerminal, mark: settings.mark };
  return {
    pid,
    ended,
    forward: (signal) => {
      forwardSignal(root, signal);
    },
    stop: (graceMs) => stopTree(root, graceMs),
  };
}

/**
 * The user's signals mean the program itself. The others mean "end", and go to all that runs under
 * the lock, or a shell would die and leave its own children behind. Ctrl-C and Ctrl-\ on a
 * terminal were already given to the child by the terminal; twice is a different request to many
 * programs.
 */
function forwardSignal(root: TreeRoot, signal: ForwardedSignal): void {
  if (signal === 'SIGUSR1' || signal === 'SIGUSR2') {
    sendSignal(root.pid, signal);
    return;
  }
  const isFromKeyboard = signal === 'SIGINT' || signal === 'SIGQUIT';
  if (isFromKeyboard && !root.hasOwnSession && isInForeground()) return;
  signalTree(root, signal);
}

function isInForeground(): boolean {
  const self = readProcess('self');
  return self === null || self.groupId === self.foregroundGroupId;
}

async function stopTree(root: TreeRoot, graceMs: number): Promise<void> {
  const killAtMs = performance.now() + graceMs;
  const told = new Set<number>();
  while (performance.now() < killAtMs) {
    if (tellToEnd(root, told) === 0) return;
    await delay(Math.min(POLL_MS, Math.max(1, killAtMs - performance.now())));
  }
  for (let round = 0; round < KILL_ROUNDS_MAX; round++) {
    if (signalTree(root, 'SIGKILL') === 0) return;
    await delay(POLL_MS);
  }
}

/**
 * SIGTERM, once, to everybody who is left; returns how many that are. Asked for again and again:
 * 1. we look, 2. a process forks, 3. our signal ends it, 4. its child has heard nothing.
 */
function tellToEnd(root: TreeRoot, told: Set<number>): number {
  const pids = living(root);
  for (const pid of pids) {
    if (told.has(pid)) continue;
    told.add(pid);
    sendSignal(pid, 'SIGTERM');
    sendSignal(pid, 'SIGCONT'); // who is stopped acts on SIGTERM only once it goes on
  }
  return pids.length;
}

/** Sends a signal to all that is left; returns how many processes it was meant for. */
function signalTree(root: TreeRoot, signal: NodeJS.Signals): number {
  const pids = living(root);
  for (const pid of pids) sendSignal(pid, signal);
  return pids.length;
}

function living(root: TreeRoot): number[] {
  const rows = readProcesses();
  if (rows.length > 0) return descendants(rows, root);
  const target = root.hasOwnSession ? -root.pid : root.pid;
  return sendSignal(target, 0) ? [target] : [];
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function spawnFailure(program: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const shown = JSON.stringify(program);
  if (code === 'ENOENT') {
    return new Failure(EXIT.notFound, `NOT_FOUND: ${shown} or its interpreter does not exist`);
  }
  return new Failure(EXIT.notExecutable, `NOT_EXECUTABLE: ${shown} cannot start: ${String(code)}`);
}
