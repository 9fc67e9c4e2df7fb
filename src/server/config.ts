// Reading cluster.config.json. Whatever is wrong is told with its path, what was expected and the
// value that came; nothing is corrected in silence.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isLoopback, parseAddress } from '../adapters/address.ts';
import { HoldfastError } from '../base/error.ts';
import { configSchema } from './config-schema.ts';
import type { ConfiguredNode, NodeConfig, NodeConfigInput } from './config-schema.ts';
import { describeIssues } from './issues.ts';

export type { ConfiguredNode, NodeConfig, NodeConfigInput };

/** RAFT.md §0: fewer heartbeats than this in an election time-out let one lost packet depose. */
const HEARTBEATS_PER_ELECTION_MIN = 10;

/** What the command line may say instead of the file. */
export interface ConfigOverrides {
  /** The flag --insecure: as if the file said so. */
  readonly insecure?: boolean;
}

/** Reads a file; its dataDir becomes absolute. Throws HoldfastError CONFIG. */
export function loadConfig(path: string, overrides: ConfigOverrides = {}): NodeConfig {
  const config = parseConfig(readJson(path), path, overrides);
  return { ...config, dataDir: resolve(dirname(path), config.dataDir) };
}

/** Checks a value; `source` names it in messages. Throws HoldfastError CONFIG. */
export function parseConfig(
  value: unknown,
  source = 'configuration',
  overrides: ConfigOverrides = {},
): NodeConfig {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) throw wrong(source, describeIssues(parsed.error.issues, value));
  const config = overrides.insecure === true ? { ...parsed.data, insecure: true } : parsed.data;
  const problems = contradictions(config);
  if (problems.length > 0) throw wrong(source, problems.join('\n'));
  return config;
}

/** The node with this id. Throws HoldfastError CONFIG naming those that exist. */
export function requireNode(config: NodeConfig, id: string): ConfiguredNode {
  const node = config.nodes.find((each) => each.id === id);
  if (node !== undefined) return node;
  const ids = config.nodes.map((each) => each.id).join(', ');
  throw new HoldfastError('CONFIG', `expected the id of a configured node (${ids}); got "${id}"`);
}

function contradictions(config: NodeConfig): string[] {
  const { heartbeatMs, electionMs, sessionLimits, sizeLimits } = config;
  const { ttlMsMin, ttlMsMax } = sessionLimits;
  const { sendMarkBytes, sendCapBytes } = sizeLimits;
  const problems = config.nodes.flatMap((node, at) => nodeProblems(config, node, at));
  const least = HEARTBEATS_PER_ELECTION_MIN * heartbeatMs;
  if (electionMs < least) {
    problems.push(
      `electionMs: expected at least ${least}, ten times heartbeatMs; got ${electionMs}, a number`,
    );
  }
  if (ttlMsMin > ttlMsMax) {
    problems.push(
      `sessionLimits.ttlMsMin: expected at most ttlMsMax (${ttlMsMax}); got ${ttlMsMin}, a number`,
    );
  }
  if (sendMarkBytes > sendCapBytes) {
    problems.push(
      `sizeLimits.sendMarkBytes: expected at most sendCapBytes (${sendCapBytes}); ` +
        `got ${sendMarkBytes}, a number`,
    );
  }
  const { dirtyRowsMax, pauseRowsMax } = config.checkpoints;
  if (dirtyRowsMax > pauseRowsMax) {
    problems.push(
      `checkpoints.dirtyRowsMax: expected at most pauseRowsMax (${pauseRowsMax}); ` +
        `got ${dirtyRowsMax}, a number`,
    );
  }
  return problems;
}

function nodeProblems(config: NodeConfig, node: ConfiguredNode, at: number): string[] {
  const { nodes, insecure } = config;
  const problems: string[] = [];
  const complain = (field: 'id' | 'address', expected: string): void => {
    const path = `nodes[${at}].${field}`;
    problems.push(`${path}: expected ${expected}; got ${JSON.stringify(node[field])}, a string`);
  };
  const sameId = nodes.findIndex((other) => other.id === node.id);
  const sameAddress = nodes.findIndex((other) => other.address === node.address);
  if (sameId < at) complain('id', `another id than that of nodes[${sameId}]`);
  if (sameAddress < at) complain('address', `another address than that of nodes[${sameAddress}]`);
  if (!insecure && !isLoopback(parseAddress(node.address)?.host ?? '')) {
    complain('address', 'a loopback address, or "insecure": true, for links are not encrypted');
  }
  return problems;
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HoldfastError('CONFIG', `cannot read ${path}: ${why}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HoldfastError('CONFIG', `${path} is not JSON: ${why}`, { cause: error });
  }
}

function wrong(source: string, problems: string): HoldfastError {
  return new HoldfastError('CONFIG', `${source}:\n${problems}`, { details: { source, problems } });
}
