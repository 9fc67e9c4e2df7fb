// Network addresses as they stand in configuration and on the command line: `host:port`.

import { HoldfastError, describeValue } from '../base/error.ts';

/** The two parts of an address. */
export interface HostAndPort {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;

/** The parts of `host:port` or `[ipv6]:port`, or null when the text is neither. */
export function parseAddress(text: string): HostAndPort | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? Number.NaN);
  if (host === undefined || !(port <= PORT_MAX)) return null;
  return { host, port };
}

/** Like parseAddress, but throws HoldfastError CONFIG. */
export function requireAddress(text: string): HostAndPort {
  const parsed = parseAddress(text);
  if (parsed !== null) return parsed;
  throw new HoldfastError('CONFIG', `expected an address host:port; got ${describeValue(text)}`);
}

/** `host:port`, with brackets around an IPv6 address. */
export function formatAddress(address: HostAndPort): string {
  const { host, port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** True when only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
