// How a lock, its holders and its waiters are shown.

import type { HolderInfo, LockInfo } from '../client/holder.ts';
import type { WaiterView } from '../locks/outcomes.ts';
import { showTime, visible } from './output.ts';

/** A lock as JSON, in the words of the HTTP interface. */
export function lockJson(lock: LockInfo): object {
  const holders = lock.holders.map(holderJson);
  return {
    name: lock.name,
    holder: holders[0] ?? null,
    holders,
    waiters: lock.waiters.map(({ sinceMs, ...waiter }) => ({ ...waiter, since: isoTime(sinceMs) })),
    waiterCount: lock.waiterCount,
  };
}

/** A lock in lines for people: every holder, then the head of the queue. */
export function lockLines(lock: LockInfo): string[] {
  const name = JSON.stringify(lock.name);
  const more = lock.waiterCount - lock.waiters.length;
  if (lock.holders.length === 0 && lock.waiters.length === 0) return [`${name} is free`];
  return [
    ...lock.holders.flatMap((holder) => [
      `${name} is held with token ${holder.token}`,
      ...holderLines(holder),
    ]),
    ...lock.waiters.map(waiterLine),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Who holds a lock, in a few words: the session's name, its host and pid. */
export function holderText(holder: HolderInfo): string {
  const { host, pid } = whereabouts(holder.sessionMeta);
  const place = [host, pid === null ? null : `pid ${pid}`].filter((part) => part !== null);
  const name = visible(holder.sessionName);
  return place.length === 0 ? name : `${name} (${place.join(', ')})`;
}

function holderLines(holder: HolderInfo): string[] {
  const { host, pid } = whereabouts(holder.sessionMeta);
  const lines = [
    `  holder   ${visible(holder.sessionName)}`,
    `  session  ${holder.session}`,
    `  since    ${showTime(holder.sinceMs)}`,
  ];
  if (host !== null) lines.push(`  host     ${host}`);
  if (pid !== null) lines.push(`  pid      ${pid}`);
  const meta = JSON.stringify(holder.meta) ?? '';
  if (meta !== '{}') lines.push(`  meta     ${visible(meta)}`);
  return lines;
}

function waiterLine(waiter: WaiterView, at: number): string {
  const since = showTime(waiter.sinceMs);
  return `  waiting ${at + 1}. ${visible(waiter.sessionName)} since ${since} (${waiter.session})`;
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

function holderJson({ sinceMs, ...holder }: HolderInfo): object {
  return { ...holder, since: isoTime(sinceMs) };
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
