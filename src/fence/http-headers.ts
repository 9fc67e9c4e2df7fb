// A claim on its way through HTTP: three headers.

import { HoldfastError } from '../base/error.ts';
import { invalid } from './errors.ts';
import { meantFor } from './claim.ts';
import type { FenceClaim } from './claim.ts';

const TOKEN = 'Holdfast-Fencing-Token';
const MODE = 'Holdfast-Fencing-Mode';
const SLOTS = 'Holdfast-Fencing-Slots';
/** The status of a request that must have a condition and has none (RFC 6585). */
export const MISSING_STATUS = 428;

/** Headers of a request as node:http has them. */
export type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers of a request as the web has them. */
export interface WebHeaders {
  /** The value of a header, null when there is none. */
  get(name: string): string | null;
}

/**
 * The headers with which a holder sends its claim: `Holdfast-Fencing-Token`, and where they say
 * something, `-Mode` and `-Slots`. A grant of the client is a claim; of one with several names say
 * for which, or INVALID is thrown.
 */
export function claimHeaders(claim: FenceClaim, name?: string): Record<string, string> {
  const { token, mode = 'exclusive', slots = [] } = meantFor(name, claim);
  return {
    [TOKEN]: String(token),
    ...(mode === 'exclusive' ? {} : { [MODE]: mode }),
    ...(slots.length === 0 ? {} : { [SLOTS]: slots.join(',') }),
  };
}

/** What the headers claim. Throws INVALID; with `details.status` 428 when there is no token. */
export function claimIn(headers: NodeHeaders | WebHeaders): FenceClaim {
  const token = headerOf(headers, TOKEN);
  const mode = headerOf(headers, MODE) ?? 'exclusive';
  const slots = headerOf(headers, SLOTS);
  if (token === null) throw missing();
  if (mode !== 'exclusive' && mode !== 'shared') {
    throw invalid(MODE, "'exclusive' or 'shared'", mode);
  }
  const numbers = slots === null ? [] : slots.split(',').map((text) => wholeOf(SLOTS, text.trim()));
  return { token: wholeOf(TOKEN, token), mode, slots: numbers };
}

/** Digits only: nothing that a number could be read from in another way. */
function wholeOf(header: string, text: string): number {
  const number = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw invalid(header, 'whole numbers up to 2^53 - 1 in decimal digits', text);
}

function headerOf(headers: NodeHeaders | WebHeaders, name: string): string | null {
  if (isOfTheWeb(headers)) return headers.get(name);
  const value = headers[name.toLowerCase()];
  return typeof value === 'object' ? value.join(',') : (value ?? null);
}

function isOfTheWeb(headers: NodeHeaders | WebHeaders): headers is WebHeaders {
  return typeof headers['get'] === 'function';
}

function missing(): HoldfastError {
  const text = `${TOKEN} must be the token of a grant: this resource is written under a lock only`;
  return new HoldfastError('INVALID', text, { details: { status: MISSING_STATUS, header: TOKEN } });
}
