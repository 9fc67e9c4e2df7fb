// The fields of cluster.config.json with their defaults and ranges. cluster.config.schema.json is
// generated from here.

import { z } from 'zod';
import { parseAddress } from '../adapters/address.ts';
import { DEFAULT_WS_LIMITS } from '../adapters/ws-transport.ts';
import { DEFAULT_LIMITS } from '../locks/commands.ts';
import { checkpointsSchema } from './checkpoint-schema.ts';
import { whole } from './config-fields.ts';

const MIB = 1_048_576;
const DAY_MS = 86_400_000;
/** As many as can be asked for agreement within a heartbeat; 3 and 5 are the sensible sizes. */
const NODES_MAX = 7;

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const ID_TEXT = 'a name of 1 to 32 letters, digits, "-" or "_", with a letter or digit first';

function flag(normal: boolean, meaning: string) {
  return z.boolean('true or false').default(normal).describe(meaning);
}

function address(meaning: string) {
  return z
    .string('a text host:port')
    .refine((text) => (parseAddress(text)?.port ?? 0) > 0, 'an address host:port')
    .describe(meaning);
}

const nodeSchema = z.strictObject(
  {
    id: z.string(ID_TEXT).regex(ID, ID_TEXT).describe('Name of the node; never used again.'),
    address: address('Where it listens, for nodes, clients and HTTP alike.'),
    advertise: address('Where HTTP callers are sent to, if not to `address`.').optional(),
  },
  'an object with id and address',
);

const limits = DEFAULT_LIMITS;

/** Copied into the founding record; a change in the file has no effect on a founded cluster. */
const sessionLimitsSchema = z.strictObject(
  {
    ttlMsMin: whole({ min: 100, max: DAY_MS, normal: limits.ttlMsMin }, 'Shortest lease.'),
    ttlMsMax: whole({ min: 1_000, max: DAY_MS, normal: limits.ttlMsMax }, 'Longest lease.'),
    lockDelayMsMax: whole(
      { min: 0, max: 60_000, normal: limits.lockDelayMsMax },
      'Longest time that a lock stays closed after its holder expired.',
    ),
    windowMax: whole(
      { min: 1, max: 65_536, normal: limits.windowMax },
      'Answers kept for one session until it acknowledges them.',
    ),
    namesPerRequestMax: whole(
      { min: 1, max: 64, normal: limits.namesPerRequestMax },
      'Locks in one request.',
    ),
    holdingsPerSessionMax: whole(
      { min: 1, max: 10_000, normal: limits.holdingsPerSessionMax },
      'Names, and permits of semaphores, held or waited for by one session.',
    ),
    nameBytesMax: whole({ min: 1, max: 512, normal: limits.nameBytesMax }, 'Size of a name.'),
    metaBytesMax: whole(
      { min: 0, max: 4_096, normal: limits.metaBytesMax },
      'Size of the metadata of a session or grant, as JSON.',
    ),
    permitsTotalMax: whole(
      { min: 1, max: 1_000_000, normal: limits.permitsTotalMax },
      'Permits of one semaphore.',
    ),
    permitsPerRequestMax: whole(
      { min: 1, max: 1_024, normal: limits.permitsPerRequestMax },
      'Permits of one semaphore that one request may take.',
    ),
  },
  'an object of session limits',
);

const ws = DEFAULT_WS_LIMITS;

/** Bounds of queues, frames and tables of this process. */
const sizeLimitsSchema = z.strictObject(
  {
    frameBytesMax: whole(
      { min: 262_144, max: 262_144, normal: ws.frameBytesMax },
      'Largest frame between nodes and clients; the same everywhere.',
    ),
    sendMarkBytes: whole(
      { min: 65_536, max: 64 * MIB, normal: ws.sendMarkBytes },
      'Unsent bytes of a link above which its sender waits.',
    ),
    sendCapBytes: whole(
      { min: MIB, max: 1_024 * MIB, normal: ws.sendCapBytes },
      'Unsent bytes of a link above which it is cut.',
    ),
    pingMs: whole(
      { min: 100, max: 60_000, normal: ws.pingMs },
      'A link is cut after two to three times this long without a byte.',
    ),
    dialMs: whole({ min: 50, max: 60_000, normal: ws.dialMs }, 'A dial fails after this.'),
    closeMs: whole(
      { min: 10, max: 10_000, normal: ws.closeMs },
      'How long the far end may take to answer a close.',
    ),
    peerLinksMax: whole({ min: 8, max: 1_024, normal: ws.peerLinksMax }, 'Links from nodes.'),
    clientLinksMax: whole(
      { min: 1, max: 100_000, normal: ws.clientLinksMax },
      'Links from clients.',
    ),
    linkCommandsMax: whole(
      { min: 1, max: 65_536, normal: 1_024 },
      'Undecided commands of one client link, then its socket is paused.',
    ),
    linkBytesMax: whole(
      { min: 65_536, max: 64 * MIB, normal: MIB },
      'Bytes of undecided commands of one client link, then its socket is paused.',
    ),
    httpConnectionsMax: whole({ min: 1, max: 100_000, normal: 2_000 }, 'Connections for HTTP.'),
    httpBodyBytesMax: whole({ min: 1_024, max: MIB, normal: 65_536 }, 'Largest HTTP body.'),
    httpHeadersMs: whole(
      { min: 100, max: 60_000, normal: 5_000 },
      'An HTTP caller must have sent its headers after this.',
    ),
    httpRequestMs: whole(
      { min: 100, max: 300_000, normal: 10_000 },
      'An HTTP caller must have sent its whole request after this.',
    ),
    httpAnswerMs: whole(
      { min: 100, max: 300_000, normal: 10_000 },
      'An HTTP request is given up when the cluster has not decided it after this.',
    ),
    httpWatchesMax: whole(
      { min: 1, max: 100_000, normal: 1_000 },
      'Event streams over HTTP that are open at once.',
    ),
    httpWatchBytesMax: whole(
      { min: 16_384, max: 64 * MIB, normal: MIB },
      'Events that wait for the reader of a stream over HTTP; then it is cut.',
    ),
    reserveBytes: whole(
      { min: 0, max: 1_048_576 * MIB, normal: 64 * MIB },
      'Free bytes of the disk below which the leader takes no new work.',
    ),
    logBytesMax: whole(
      { min: 65_536, max: 64 * MIB, normal: MIB },
      'Log lines that wait to be written; more are dropped and counted.',
    ),
  },
  'an object of size limits',
);

/** The whole file. Rules between fields are in config.ts. */
export const configSchema = z
  .strictObject(
    {
      $schema: z.string('a text').optional(),
      name: z.string(ID_TEXT).regex(ID, ID_TEXT).describe('Name of the cluster, for people.'),
      nodes: z
        .array(nodeSchema, 'a list of nodes')
        .min(1, `1 to ${NODES_MAX} nodes`)
        .max(NODES_MAX, `1 to ${NODES_MAX} nodes`)
        .describe('The founding members. Once founded, the log says who belongs to the cluster.'),
      dataDir: z
        .string('a path')
        .min(1, 'a path')
        .default('./data')
        .describe('Holds one directory per node; relative to this file.'),
      heartbeatMs: whole({ min: 5, max: 5_000, normal: 50 }, 'The leader is heard this often.'),
      electionMs: whole(
        { min: 50, max: 60_000, normal: 500 },
        'Silence after which a new leader is sought; at least ten heartbeats.',
      ),
      insecure: flag(false, 'Allows addresses beyond this machine, without encryption.'),
      redirect: flag(true, 'HTTP: 307 to the leader; false: 503 with Retry-After.'),
      allowedOrigins: z
        .array(z.string('an origin'), 'a list of origins')
        .max(64, 'at most 64 origins')
        .default([])
        .describe('Web origins whose scripts may use HTTP and links.'),
      logLevel: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent')
        .default('info')
        .describe('Least weighty lines that are logged.'),
      sessionLimits: sessionLimitsSchema
        .prefault({})
        .describe('What sessions may ask for. Read when the cluster is founded, then in the log.'),
      sizeLimits: sizeLimitsSchema
        .prefault({})
        .describe('Bounds of queues, frames and tables of this process.'),
      checkpoints: checkpointsSchema
        .prefault({})
        .describe('When the state goes to the disk, and how much of the log is kept.'),
    },
    'an object: the content of cluster.config.json',
  )
  .meta({ title: 'Holdfast cluster configuration' });

/** A checked configuration with all defaults filled in. */
export type NodeConfig = z.output<typeof configSchema>;

// An interface, so that it keeps its name where it is shown.
/** What a user writes: the content of cluster.config.json. */
export interface NodeConfigInput extends z.input<typeof configSchema> {}

/** One node of the file. */
export type ConfiguredNode = NodeConfig['nodes'][number];

/** The JSON schema of the file, for editors. */
export function configJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }), null, 2)}\n`;
}
