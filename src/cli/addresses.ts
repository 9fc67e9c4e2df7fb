// Where the nodes are: --nodes, else HOLDFAST_NODES, else the configuration file.

import { existsSync } from 'node:fs';
import { parseAddress } from '../adapters/address.ts';
import { HoldfastError, describeValue } from '../base/error.ts';
import { EXIT, Failure } from './exit-code.ts';

/** The configuration file that is taken when none is named, in the current directory. */
export const DEFAULT_CONFIG_FILE = 'cluster.config.json';

export interface AddressOptions {
  /** Value of --nodes. */
  readonly nodes?: string;
  /** Value of --config. */
  readonly config?: string;
}

/** Links to more nodes would cost without adding safety: a cluster has 3, 5 or 7. */
const ADDRESSES_MAX = 7;

/**
 * Addresses of the nodes as `host:port`, each once. Rejects with CONFIG when what was given is no
 * list of addresses, and with a Failure (78) when nothing was given.
 */
export async function resolveAddresses(
  options: AddressOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  if (options.nodes !== undefined) return parseAddresses(options.nodes, '--nodes');
  const listed = environment['HOLDFAST_NODES'];
  if (listed !== undefined && listed !== '') {
    return parseAddresses(listed, 'HOLDFAST_NODES');
  }
  const file = options.config ?? DEFAULT_CONFIG_FILE;
  if (options.config !== undefined || existsSync(file)) {
    // Reading configurations takes longer to load than all the rest, and few commands need it.
    const { loadConfig } = await import('../server/config.ts');
    return loadConfig(file).nodes.map((node) => node.address);
  }
  throw new Failure(
    EXIT.configuration,
    'CONFIG: where are the nodes? Give --nodes 127.0.0.1:7101,…, or set HOLDFAST_NODES, ' +
      `or name a configuration file with --config (there is no ${DEFAULT_CONFIG_FILE} here)`,
  );
}

/** The addresses of a list such as `127.0.0.1:7101,[::1]:7102`; `source` names it in errors. */
export function parseAddresses(text: string, source: string): string[] {
  const list = [...new Set(text.split(',').map((part) => part.trim()))];
  for (const address of list) {
    if (!isAddress(address)) {
      const came = describeValue(address);
      throw new HoldfastError('CONFIG', `${source}: expected host:port,host:port,…; got ${came}`);
    }
  }
  if (list.length > ADDRESSES_MAX) {
    const message = `${source}: expected at most ${ADDRESSES_MAX} addresses; got ${list.length}`;
    throw new HoldfastError('CONFIG', message);
  }
  return list;
}

function isAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && address.port > 0;
}
