// Which configuration a local cluster runs with. A cluster that was made with --size or
// --base-port keeps its file in its data root, and is found there the next time.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig, parseConfig } from '../server/config.ts';
import type { NodeConfig } from '../server/config.ts';
import { logDirectory, nodeDirectory } from '../server/data-directory.ts';
import { DEFAULT_CONFIG_FILE } from './addresses.ts';
import { EXIT, Failure } from './exit-code.ts';

/** The options of `up` that say which cluster is meant. */
export interface LocalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly size?: number;
  readonly basePort?: number;
  readonly fresh?: true;
}

export interface LocalConfig {
  readonly config: NodeConfig;
  /** Absolute path of the configuration file. */
  readonly file: string;
  /** Absolute path of the data root. */
  readonly root: string;
  /** The file's text when it has yet to be written, else null. */
  readonly text: string | null;
}

const DEFAULT_SIZE = 3;
const DEFAULT_BASE_PORT = 7101;
const DEFAULT_ROOT = 'data';

/** Throws CONFIG for a wrong file, and a Failure (64) for options that exclude each other. */
export function localConfig(options: LocalOptions): LocalConfig {
  const isSized = options.size !== undefined || options.basePort !== undefined;
  if (options.config !== undefined) {
    if (!isSized) return fromFile(options.config, options);
    const message = 'USAGE: --size and --base-port make a configuration: give them or --config';
    throw new Failure(EXIT.usage, message);
  }
  const kept = join(options.data ?? DEFAULT_ROOT, DEFAULT_CONFIG_FILE);
  if (isSized) return generated(kept, options);
  const file = [kept, DEFAULT_CONFIG_FILE].find((path) => existsSync(path));
  return file === undefined ? generated(kept, options) : fromFile(file, options);
}

/** Writes a file that was made from --size and --base-port to the data root. */
export function keepConfig({ file, root, text }: LocalConfig): void {
  if (text === null) return;
  mkdirSync(root, { recursive: true });
  writeFileSync(file, text);
}

function fromFile(path: string, options: LocalOptions): LocalConfig {
  const config = loadConfig(path);
  const root = options.data === undefined ? config.dataDir : resolve(options.data);
  return { config, file: resolve(path), root, text: null };
}

function generated(kept: string, options: LocalOptions): LocalConfig {
  const { size = DEFAULT_SIZE, basePort = DEFAULT_BASE_PORT } = options;
  const nodes = Array.from({ length: size }, (_, at) => ({
    id: `n${at + 1}`,
    address: `127.0.0.1:${basePort + at}`,
  }));
  const content = { name: 'local', nodes, dataDir: '.' };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const root = resolve(options.data ?? DEFAULT_ROOT);
  const file = resolve(kept);
  if (options.fresh !== true && existsSync(file) && readFileSync(file, 'utf8') !== text) {
    throw new Failure(
      EXIT.configuration,
      `CONFIG: ${file} describes another cluster than --size and --base-port; ` +
        'leave them out to go on with it, or start anew with --fresh',
    );
  }
  if (options.fresh !== true && !existsSync(file)) refuseOtherNodes(root);
  return { config: { ...parseConfig(content, file), dataDir: root }, file, root, text };
}

// Nodes without a file beside them were made from a file elsewhere. Fewer of them, or other
// addresses, would be a part of that cluster from now on.
function refuseOtherNodes(root: string): void {
  const names = existsSync(root) ? readdirSync(root) : [];
  const used = names.find((name) => existsSync(logDirectory(nodeDirectory(root, name))));
  if (used === undefined) return;
  throw new Failure(
    EXIT.configuration,
    `CONFIG: ${join(root, used)} belongs to a cluster that was not made with --size or ` +
      '--base-port; leave them out to go on with it, name another --data, ' +
      'or start anew with --fresh',
  );
}
