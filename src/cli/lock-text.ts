// How a lock, its holders, its lock-delays and its waiters are shown.

import type { GhostInfo, HolderInfo, LockInfo } from '../client/holder.ts';
import type { WaiterView } from '../locks/outcomes.ts';
import { showMs } from './duration.ts';
import { showTime, visible } from './output.ts';

/** What the leader's clock says is told of one lock that is looked at, not in lists. */
interface JsonOptions {
  readonly hasTimes: boolean;
}

/** A lock as JSON, in the words of the HTTP interface. */
export function lockJson(lock: LockInfo, options: JsonOptions): object {
  const holders = lock.holders.map((holder) => holderJson(holder, options));
  return {
    name: lock.name,
    holder: holders[0] ?? null,
    holders,
    ghosts: lock.ghosts.map((ghost) => ghostJson(ghost, options)),
    waiters: lock.waiters.map(({ sinceMs, ...waiter }) => ({ ...waiter, since: isoTime(sinceMs) })),
    holderCount: lock.holderCount,
    waiterCount: lock.waiterCount,
  };
}

/** A lock in lines for people: every holder, what keeps it closed, then the head of the queue. */
export function lockLines(lock: LockInfo): string[] {
  const name = JSON.stringify(lock.name);
  const isFree = lock.holders.length === 0 && lock.ghosts.length === 0;
  return [
    ...(isFree ? [lock.waiterCount === 0 ? `${name} is free` : `${name} is not held yet`] : []),
    ...lock.holders.flatMap((holder) => [
      `${name} is held with token ${holder.token}`,
      ...holderLines(holder),
    ]),
    ...moreLine(lock.holderCount - lock.holders.length, 'hold it'),
    ...lock.ghosts.flatMap((ghost) => [
      `${name} is closed by a lock-delay${leftText(ghost.delayLeftMs)}, token ${ghost.token}`,
      ...ghostLines(ghost),
    ]),
    ...lock.waiters.map(waiterLine),
    ...moreLine(lock.waiterCount - lock.waiters.length, 'wait'),
  ];
}

/** Who holds a lock, in a few words: the session's name, its host and pid. */
export function holderText(holder: HolderInfo): string {
  const { host, pid } = whereabouts(holder.sessionMeta);
  const place = [host, pid === null ? null : `pid ${pid}`].filter((part) => part !== null);
  const name = visible(holder.sessionName);
  return place.length === 0 ? name : `${name} (${place.join(', ')})`;
}

/** What a session said of itself: where it runs, and whatever else. */
export function metaLines(meta: unknown): string[] {
  const { host, pid } = whereabouts(meta);
  return [
    ...(host === null ? [] : [`  host     ${host}`]),
    ...(pid === null ? [] : [`  pid      ${pid}`]),
  ];
}

/** How long a lease lasts unless it is renewed; null: for ever, or not known. */
export function leaseText(leftMs: number | null): string {
  return leftMs === null ? 'never' : `in ${showMs(leftMs)} unless it is renewed`;
}

/** ISO 8601. */
function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

function holderLines(holder: HolderInfo): string[] {
  const meta = JSON.stringify(holder.meta) ?? '';
  return [
    `  holder   ${visible(holder.sessionName)}`,
    `  session  ${holder.session}`,
    `  since    ${showTime(holder.sinceMs)}`,
    `  expires  ${leaseText(holder.leaseLeftMs)}`,
    ...mannerLines(holder),
    ...metaLines(holder.sessionMeta),
    ...(holder.value === null ? [] : [`  value    ${visible(JSON.stringify(holder.value))}`]),
    ...(meta === '{}' ? [] : [`  meta     ${visible(meta)}`]),
  ];
}

function ghostLines(ghost: GhostInfo): string[] {
  return [
    `  holder   ${visible(ghost.sessionName)}, whose session expired`,
    `  session  ${ghost.session}`,
    ...mannerLines(ghost),
  ];
}

type Manner = Pick<HolderInfo, 'mode' | 'permits' | 'slots'>;

function mannerLines({ mode, permits, slots }: Manner): string[] {
  if (permits === null) return mode === 'shared' ? ['  mode     shared'] : [];
  const [taken, total] = permits;
  return [`  permits  ${taken} of ${total}`, `  slots    ${slots.join(', ')}`];
}

function waiterLine(waiter: WaiterView, at: number): string {
  const since = showTime(waiter.sinceMs);
  const { mode, permits } = waiter;
  const manner =
    permits === null
      ? mode === 'shared'
        ? ', shared'
        : ''
      : `, ${permits[0]} of ${permits[1]} permits`;
  const who = `${visible(waiter.sessionName)} since ${since}${manner}`;
  return `  waiting ${at + 1}. ${who} (${waiter.session})`;
}

function moreLine(count: number, doWhat: string): string[] {
  return count > 0 ? [`  and ${count} more ${doWhat}`] : [];
}

function leftText(leftMs: number | null): string {
  return leftMs === null ? '' : ` for ${showMs(leftMs)} more`;
}

// Metadata is whatever its session chose to tell.
function whereabouts(meta: unknown): { readonly host: string | null; readonly pid: string | null } {
  const { host, pid } = isRecord(meta) ? meta : {};
  return {
    host: typeof host === 'string' ? visible(host) : null,
    pid: typeof pid === 'number' ? String(pid) : null,
  };
}

function isRecord(value: unknown): value is { readonly host?: unknown; readonly pid?: unknown } {
  return typeof value === 'object' && value !== null;
}

function holderJson({ sinceMs, leaseLeftMs, ...holder }: HolderInfo, options: JsonOptions): object {
  const times = options.hasTimes ? { leaseLeftMs } : {};
  return { ...holder, since: isoTime(sinceMs), ...times };
}

function ghostJson({ delayLeftMs, ...ghost }: GhostInfo, { hasTimes }: JsonOptions): object {
  return { ...ghost, ...(hasTimes ? { delayLeftMs } : {}) };
}
