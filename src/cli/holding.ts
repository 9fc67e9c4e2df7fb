// Takes a lock for `run` and `acquire`, in a way that a signal can end at any moment.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { HoldfastError } from '../base/error.ts';
import { queueText } from '../client/acquire-error.ts';
import type { Client, Grant } from '../index.ts';
import { resolveAddresses } from './addresses.ts';
import type { ForwardedSignal } from './child.ts';
import { showDuration } from './duration.ts';
import { errorSentence } from './error-json.ts';
import { EXIT, Failure, exitCodeOf, signalExitCode } from './exit-code.ts';
import { withPorts } from './node-ports.ts';
import { askStatuses, embargoText } from './node-status.ts';
import { note } from './output.ts';
import { durationWithin } from './program.ts';
import type { ClusterOptions } from './program.ts';
import type { SignalInbox } from './signals.ts';
import { namesText, wantedItems } from './wanted-locks.ts';
import type { MannerOptions } from './wanted-locks.ts';
import { REQUEST_MS, openClient } from './with-client.ts';

/** Options of the commands that hold something; durations in milliseconds. */
export interface TakeOptions extends ClusterOptions {
  /** Infinity: until it is given back or broken. */
  readonly ttl: number;
  /** Infinity: without limit. */
  readonly wait: number;
}

/** What is held, with the client that renews it. */
export interface Holding {
  readonly client: Client;
  readonly grant: Grant;
}

/** How a grant is asked for, once there is a client. */
export interface Wish {
  /** Of what is wanted, as messages show it. */
  readonly text: string;
  acquire(client: Client, options: { waitMs: number; signal: AbortSignal }): Promise<Grant>;
}

/** How long a farewell to the cluster may take; what was held is free after its TTL anyway. */
const FAREWELL_MS = 2_000;
/** How long the nodes may take to say why a wait was in vain. */
const STATUS_MS = 1_000;
/** The longest that the client library takes; a cluster may set a lower limit for TTLs. */
const DAY_MS = 86_400_000;
const TTL_MS_MIN = 1_000;
const DEFAULT_TTL_MS = 15_000;
const DEFAULT_WAIT_MS = 30_000;

/** Adds --ttl and --wait, which is 30s unless told otherwise; Infinity: without limit. */
export function addTakeOptions(
  command: Command,
  { wait: normalWait = DEFAULT_WAIT_MS }: { readonly wait?: number } = {},
): Command {
  const ttl = new Option(
    '--ttl <duration>',
    'how long the lock stays taken if this process falls silent; from 1s to 10m unless the ' +
      'cluster was founded with other limits (up to 24h); none: until it is broken',
  );
  const wait = new Option(
    '--wait <duration>',
    'how long to wait for the lock; 0s: do not wait; none: no limit',
  );
  const normalText = normalWait === Infinity ? 'no limit' : showDuration(normalWait);
  return command
    .addOption(ttl.argParser(orNone(TTL_MS_MIN)).default(DEFAULT_TTL_MS, '15s'))
    .addOption(wait.argParser(orNone(0)).default(normalWait, normalText));
}

/** The wish for locks or semaphores. Throws as wantedItems does. */
export function lockWish(names: readonly string[], options: MannerOptions): Wish {
  const items = wantedItems(names, options);
  return {
    text: namesText(names),
    acquire: (client, how) => client.lockAll(items).acquire(how),
  };
}

/**
 * Waits for what is wished for. With the first signal in `inbox` the request is taken out of the
 * queue, and the promise rejects with a Failure of that signal's exit code, at the latest two
 * seconds later, whether or not the cluster has answered; the second signal ends the process at
 * once. Rejects with LOCK_BUSY, WAIT_OVER or UNAVAILABLE otherwise, or as nothingLost tells.
 */
export async function take(wish: Wish, options: TakeOptions, inbox: SignalInbox): Promise<Holding> {
  const begunMs = performance.now();
  const opening = openClient(options, {
    ttlMs: options.ttl === Infinity ? null : options.ttl,
    // Also without a limit: that nobody is there is a mistake more often than a wish to wait.
    connectMs: options.wait === Infinity ? REQUEST_MS : Math.max(options.wait, REQUEST_MS),
  });
  const client = await Promise.race([opening, interruptionOf(wish, inbox)]);
  const waitMs = Math.max(0, Math.ceil(options.wait - (performance.now() - begunMs)));
  let grant: Grant;
  try {
    grant = await wish.acquire(client, { waitMs, signal: inbox.interrupted });
  } catch (error) {
    await leave(client);
    if (inbox.interruption !== null) throw interruption(wish, inbox.interruption);
    if (HoldfastError.is(error) && error.code === 'WAIT_OVER') await tellOfEmbargo(options);
    throw nothingLost(asTyped(error, wish, options));
  }
  if (inbox.interruption !== null) {
    await giveBack({ client, grant });
    throw interruption(wish, inbox.interruption);
  }
  inbox.keep();
  return { client, grant };
}

// Whoever waits in vain for a lock that nobody holds should hear why.
async function tellOfEmbargo(options: TakeOptions): Promise<void> {
  const addresses = await resolveAddresses(options, process.env);
  const reports = await withPorts((ports) => askStatuses(ports, addresses, STATUS_MS));
  const text = embargoText(reports);
  if (text !== null) note(text);
}

/** Rejects when a signal ends the wait; nothing is to be undone while the client connects. */
function interruptionOf(wish: Wish, inbox: SignalInbox): Promise<never> {
  return new Promise((_, reject) => {
    inbox.interrupted.addEventListener('abort', () => {
      note(`leaving the queue of ${wish.text}; this takes at most ${showDuration(FAREWELL_MS)}`);
      reject(interruption(wish, inbox.interruption ?? 'SIGTERM'));
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

/** Ends the client, whatever became of its lock: a session without TTL would stay for ever. */
export async function leave(client: Client): Promise<void> {
  await Promise.race([client.close(), delay(FAREWELL_MS)]);
}

/** When a lock that was not given back is free, for a note. */
export function freedText(ttlMs: number): string {
  if (ttlMs === Infinity) return 'it stays taken until an operator breaks it';
  return `it is free ${showDuration(ttlMs)} after this at most`;
}

/**
 * An error from before anything was done under the lock: a session that is gone is a cluster that
 * could not be reached then, and no loss that cut work short.
 */
export function nothingLost(error: unknown): unknown {
  if (!HoldfastError.is(error) || exitCodeOf(error) !== EXIT.lost) return error;
  const { code, outcome } = error;
  const details = { ...error.details, exitCode: EXIT.unavailable };
  return new HoldfastError(code, errorSentence(error), { outcome, details, cause: error.cause });
}

/** Parser of a duration from `minMs` to a day, or `none`, which is Infinity. */
function orNone(minMs: number): (text: string) => number {
  return (text) => {
    if (text === 'none') return Infinity;
    try {
      return durationWithin(minMs, DAY_MS)(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/\.$/, '')}; or none.`);
    }
  };
}

// The client only knew what connecting had left of the wait, and the cluster its field of a
// session; the user knows what was typed.
function asTyped(error: unknown, wish: Wish, { ttl, wait: waitMs }: TakeOptions): unknown {
  if (!HoldfastError.is(error)) return error;
  const [, min, max] = /^INVALID: ttlMs .* from (\d+) to (\d+)/.exec(error.message) ?? [];
  if (min !== undefined && max !== undefined) {
    const range = `from ${showDuration(Number(min))} to ${showDuration(Number(max))}`;
    const text = `--ttl: this cluster takes a duration ${range}, or none; got ${showDuration(ttl)}`;
    return new HoldfastError('INVALID', text);
  }
  if (typeof error.details['waitMs'] !== 'number') return error;
  const { ahead } = error.details;
  const queue = queueText({ ahead: typeof ahead === 'number' ? ahead : null });
  const text = `${wish.text} was not granted within ${showDuration(waitMs)} (--wait)${queue}`;
  return new HoldfastError(error.code, text, { details: { ...error.details, waitMs } });
}

function interruption(wish: Wish, signal: ForwardedSignal): Failure {
  const message = `CANCELLED: ${signal} while waiting for ${wish.text}`;
  return new Failure(signalExitCode(signal), message);
}
