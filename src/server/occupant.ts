// Who is in the way of a start. Whoever starts a node twice wants to know where the first one is.

import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { HoldfastError } from '../base/error.ts';
import type { HostExit } from '../node/host-types.ts';
import { exitError } from './exit.ts';

/** Where the node wanted to be. */
export interface Place {
  readonly directory: string;
  readonly address: string;
}

/** Written by whoever has the directory, and true for as long as it is locked. */
const FILE = 'pid';
const ASK_MS = 500;
const ANSWER_BYTES_MAX = 65_536;

/** Tells others that this process has the directory. A note for people: it is not synced. */
export function showOccupant(directory: string): void {
  try {
    writeFileSync(join(directory, FILE), `${process.pid}\n`);
  } catch {
    // A disk that takes no note fails by itself soon, and says more then.
  }
}

/** The error for a node that did not start, with who has its directory or address instead. */
export async function occupiedError(exit: HostExit, place: Place): Promise<HoldfastError> {
  const error = exitError(exit);
  if (error.code === 'DIRECTORY_IN_USE') return directoryInUse(error, place);
  if (error.code === 'PORT_IN_USE') return portInUse(error, place);
  return error;
}

function directoryInUse(error: HoldfastError, { directory }: Place): HoldfastError {
  const pid = readPid(directory);
  const text =
    `${directory} is in use by a node of ${processText(pid)}: ` +
    'stop that one, or give this node a directory of its own';
  const details = { ...error.details, directory, pid };
  return new HoldfastError(error.code, text, { details, cause: error });
}

async function portInUse(error: HoldfastError, { address }: Place): Promise<HoldfastError> {
  const found = await askNode(address);
  if (found === null) return error;
  const { nodeId, pid } = found;
  const text =
    `the node ${nodeId} of ${processText(pid)} listens on ${address} already: ` +
    'stop it, or give this node another address';
  const details = { ...error.details, address, nodeId, pid };
  return new HoldfastError(error.code, text, { details, cause: error });
}

function processText(pid: number | null): string {
  if (pid === process.pid) return `this process (${pid})`;
  return pid === null ? 'another process' : `process ${pid}`;
}

function readPid(directory: string): number | null {
  try {
    const pid = Number(readFileSync(join(directory, FILE), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** Who a node at this address says it is; null if none answers soon. */
function askNode(address: string): Promise<{ nodeId: string; pid: number } | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    const signal = AbortSignal.timeout(ASK_MS);
    const request = get(`http://${address}/v1/status`, { agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > ANSWER_BYTES_MAX) request.destroy();
      });
      response.on('error', none);
      response.on('close', () => resolve(readStatus(text)));
    });
    request.on('error', none);
  });
}

function readStatus(text: string): { nodeId: string; pid: number } | null {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status !== 'object' || status === null) return null;
    const { id, pid } = { id: null, pid: null, ...status };
    return typeof id === 'string' && typeof pid === 'number' ? { nodeId: id, pid } : null;
  } catch {
    return null;
  }
}
