// What reaches out of the simulated world: files, network, processes, threads, the garbage
// collector. There is no such thing in there, so whoever uses it is told what to do instead.

import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import process from 'node:process';
import readline from 'node:readline';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';
import zlib from 'node:zlib';
import { isCallable, refusing } from './dispatch.ts';
import type { Replacement } from './dispatch.ts';

const FILES =
  'there are no files in a simulated world: read before it begins, keep data in variables';
const NETWORK =
  'there is no real network: talk through world.client, world.fencedStore or a promise';
const OTHERS = 'there are no other processes or threads: world.run starts a simulated one';
const POOL = 'its results come in real time: use the function of the same name with Sync';
const COLLECTOR = 'it depends on the garbage collector: keep an explicit lifetime';
const ENDING = 'it would end this test: throw to fail the program, world.crash ends a process';
const READING = 'it differs from run to run: leave it out of what is simulated';

/** All functions of a module, but for those that reach nowhere. */
function all(
  label: string,
  target: object,
  hint: string,
  pure: readonly string[] = [],
): Replacement[] {
  return Object.keys(target)
    .filter((name) => !pure.includes(name) && isCallable(valueOf(target, name)))
    .map((name) => ({ target, name, make: refusing(`${label}.${name}`, hint) }));
}

/** Without calling what is computed. */
function valueOf(target: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(target, name)?.value;
}

function some(
  label: string,
  target: object,
  names: readonly string[],
  hint: string,
): Replacement[] {
  return names.map((name) => {
    return { target, name, make: refusing(label === '' ? name : `${label}.${name}`, hint) };
  });
}

const NET_PURE = ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'];
const HTTP_PURE = ['validateHeaderName', 'validateHeaderValue'];
const THREADS_PURE = ['markAsUntransferable', 'getEnvironmentData'];
const FS_PURE = ['Stats', 'Dirent', '_toUnixTimestamp'];
const ZLIB_ASYNC = ['deflate', 'inflate', 'gzip', 'gunzip', 'unzip', 'brotliCompress'];
const ZLIB_RAW = ['deflateRaw', 'inflateRaw', 'brotliDecompress'];

/** See the head of this file. */
export const AMBIENT: readonly Replacement[] = [
  ...all('fs', fs, FILES, FS_PURE),
  ...all('fs.promises', fsPromises, FILES),
  ...all('net', net, NETWORK, NET_PURE),
  ...all('tls', tls, NETWORK),
  ...all('http', http, NETWORK, HTTP_PURE),
  ...all('https', https, NETWORK),
  ...all('http2', http2, NETWORK),
  ...all('dgram', dgram, NETWORK),
  ...all('dns', dns, NETWORK),
  ...all('dns.promises', dnsPromises, NETWORK),
  ...all('child_process', childProcess, OTHERS),
  ...all('worker_threads', workerThreads, OTHERS, THREADS_PURE),
  ...some('cluster', cluster, ['fork'], OTHERS),
  ...some('readline', readline, ['createInterface'], FILES),
  ...some('zlib', zlib, [...ZLIB_ASYNC, ...ZLIB_RAW], POOL),
  ...some('os', os, ['freemem', 'loadavg', 'uptime'], READING),
  ...some('', globalThis, ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel'], NETWORK),
  ...some('', globalThis, ['MessageChannel'], OTHERS),
  ...some('', globalThis, ['WeakRef', 'FinalizationRegistry'], COLLECTOR),
  ...some('process', process, ['exit', 'abort', 'kill', 'reallyExit'], ENDING),
  ...some('process', process, ['cpuUsage', 'memoryUsage', 'resourceUsage'], READING),
  ...some('performance', performance, ['mark', 'measure', 'timerify'], READING),
];
