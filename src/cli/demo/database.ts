// The database of the story, a process of its own: LevelDB on disk behind HTTP. What is posted to
// /open/… is taken as it comes; /guarded/… refuses outdated tokens.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openRecords } from '../../adapters/level-records.ts';
import { HoldfastError } from '../../base/error.ts';
import { readWrite, report } from './messages.ts';
import { Stock } from './stock.ts';

const BODY_BYTES_MAX = 4_096;
const LOOPBACK = '127.0.0.1';

async function serve(directory: string): Promise<void> {
  const stock = new Stock(await openRecords(directory));
  const server = createServer((request, response) => {
    answer(stock, request).then(
      (body) => send(response, 200, body),
      (error: unknown) => refuse(response, error),
    );
  });
  server.listen(0, LOOPBACK, () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    report('ready', { text: `http://${LOOPBACK}:${port}` });
  });
}

async function answer(stock: Stock, request: IncomingMessage): Promise<object> {
  const [, table = '', record = ''] = (request.url ?? '').split('/');
  const place = { record: `${table}/${record}`, isGuarded: table === 'guarded' };
  if (request.method === 'GET') return { value: await stock.read(place.record) };
  const write = readWrite(await bodyOf(request));
  if (write === null) throw new HoldfastError('INVALID', 'expected a body {value, token}');
  await stock.write(place, write);
  return { value: write.value };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) throw new HoldfastError('INVALID', 'the body is too large');
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (!HoldfastError.is(error)) {
    send(response, 500, { message: String(error) });
    return;
  }
  const { code, message, details } = error;
  send(response, code === 'STALE_TOKEN' ? 409 : 400, { code, message, ...details });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

process.on('disconnect', () => process.exit(1));
await serve(process.argv[2] ?? '');
