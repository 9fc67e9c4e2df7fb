// Takes a lock for `run` and `acquire`, in a way that a signal can end at any moment.

import { setTimeout as delay } from 'node:timers/promises';
import { checkLockName } from './lock-name.ts';
import { Option } from 'commander';
import type { Command } from 'commander';
import { HoldfastError } from '../base/error.ts';
import { queueText } from '../client/acquire-error.ts';
import type { Client, Grant } from '../index.ts';
import type { ForwardedSignal } from './child.ts';
import { showDuration } from './duration.ts';
import { Failure, signalExitCode } from './exit-code.ts';
import { note } from './output.ts';
import { durationWithin } from './program.ts';
import type { ClusterOptions } from './program.ts';
import type { SignalInbox } from './signals.ts';
import { REQUEST_MS, openClient } from './with-client.ts';

/** Options of the commands that take a lock; durations in milliseconds. */
export interface TakeOptions extends ClusterOptions {
  readonly ttl: number;
  readonly wait: number;
}

/** A lock that is held, with the client that renews it. */
export interface Holding {
  readonly client: Client;
  readonly grant: Grant;
}

/** How long a farewell to the cluster may take; what was held is free after its TTL anyway. */
const FAREWELL_MS = 2_000;
/** The longest that the client library takes; a cluster may set a lower limit for TTLs. */
const DAY_MS = 86_400_000;
const TTL_MS_MIN = 1_000;
const DEFAULT_TTL_MS = 15_000;
const DEFAULT_WAIT_MS = 30_000;

/** Adds --ttl and --wait. */
export function addTakeOptions(command: Command): Command {
  const ttl = new Option(
    '--ttl <duration>',
    'how long the lock stays taken if this process falls silent; ' +
      'at most 10m unless the cluster was founded with other limits',
  );
  const wait = new Option('--wait <duration>', 'how long to wait for the lock; 0s: do not wait');
  return command
    .addOption(ttl.argParser(durationWithin(TTL_MS_MIN, DAY_MS)).default(DEFAULT_TTL_MS, '15s'))
    .addOption(wait.argParser(durationWithin(0, DAY_MS)).default(DEFAULT_WAIT_MS, '30s'));
}

/**
 * Waits for the lock. With the first signal in `inbox` the request is taken out of the queue, and
 * the promise rejects with a Failure of that signal's exit code, at the latest two seconds later,
 * whether or not the cluster has answered; the second signal ends the process at once. Rejects
 * with LOCK_BUSY, WAIT_OVER or UNAVAILABLE otherwise.
 */
export async function takeLock(
  name: string,
  options: TakeOptions,
  inbox: SignalInbox,
): Promise<Holding> {
  checkLockName(name);
  const begunMs = performance.now();
  const opening = openClient(options, {
    ttlMs: options.ttl,
    connectMs: Math.max(options.wait, REQUEST_MS),
  });
  const client = await Promise.race([opening, interruptionOf(name, inbox)]);
  const waitMs = Math.max(0, Math.ceil(options.wait - (performance.now() - begunMs)));
  let grant: Grant;
  try {
    const { interrupted: signal } = inbox;
    grant = await client.lock(name).acquire({ waitMs, signal });
  } catch (error) {
    await Promise.race([client.close(), delay(FAREWELL_MS)]);
    if (inbox.interruption !== null) throw interruption(name, inbox.interruption);
    throw ofWholeWait(error, name, options.wait);
  }
  if (inbox.interruption !== null) {
    await giveBack({ client, grant });
    throw interruption(name, inbox.interruption);
  }
  inbox.keep();
  return { client, grant };
}

/** Rejects when a signal ends the wait; nothing is to be undone while the client connects. */
function interruptionOf(name: string, inbox: SignalInbox): Promise<never> {
  return new Promise((_, reject) => {
    inbox.interrupted.addEventListener('abort', () => {
      note(`leaving the queue of "${name}"; this takes at most ${showDuration(FAREWELL_MS)}`);
      reject(interruption(name, inbox.interruption ?? 'SIGTERM'));
    });
  });
}

/** Gives the lock back and ends the client. Resolves false when that was not confirmed in time. */
export function giveBack({ client, grant }: Holding): Promise<boolean> {
  const released = grant.release().then(
    () => true,
    () => false,
  );
  const farewell = released.then(async (isReleased) => {
    await client.close();
    return isReleased;
  });
  return Promise.race([farewell, delay(FAREWELL_MS, false)]);
}

// The client only knew what connecting had left of the wait; the user knows what was typed.
function ofWholeWait(error: unknown, name: string, waitMs: number): unknown {
  if (!HoldfastError.is(error) || typeof error.details['waitMs'] !== 'number') return error;
  const { ahead } = error.details;
  const queue = queueText({ ahead: typeof ahead === 'number' ? ahead : null });
  const text = `"${name}" was not granted within ${showDuration(waitMs)} (--wait)${queue}`;
  return new HoldfastError(error.code, text, { details: { ...error.details, waitMs } });
}

function interruption(name: string, signal: ForwardedSignal): Failure {
  const message = `CANCELLED: ${signal} while waiting for "${name}"`;
  return new Failure(signalExitCode(signal), message);
}
