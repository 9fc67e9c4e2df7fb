import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { claimHeaders, httpFence, memoryFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import type { FenceWorld } from './conformance.ts';
import type { FenceClaim } from '../../src/fence/claim.ts';
import { checkClaim } from '../../src/fence/claim.ts';
import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server on a free port; the path of a request is what it writes. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
}

const resource = ({ url = '' }: { url?: string | undefined }): string =>
  decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function put(url: string, headers: Record<string, string>, body = 'x'): Promise<Response> {
  return fetch(url, { method: 'PUT', headers, body });
}

interface Told {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly resource: string;
  readonly token: number;
  readonly seen: number;
  readonly mode: string;
  readonly slot?: number;
}

async function problemOf(response: Response): Promise<Told> {
  const told: Told = JSON.parse(await response.text());
  return told;
}

/** Refused by the caller's own checks as by the server's: a header cannot carry everything. */
async function send(url: string, name: string, claim: FenceClaim, value: string): Promise<void> {
  checkClaim(name, claim);
  const response = await put(url + encodeURIComponent(name), claimHeaders(claim), value);
  if (response.ok) return;
  const problem = await problemOf(response);
  const { code, detail, resource: of, token, seen, mode, slot } = problem;
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const facts = { resource: of, token, seen, mode };
  throw new HoldfastError(code, detail, {
    details: slot === undefined ? facts : { ...facts, slot },
  });
}

async function nodeWorld(): Promise<FenceWorld> {
  const values = new Map<string, string>();
  const memory = memoryFence();
  const fence = httpFence<IncomingMessage>({ resource, present: memory.present });
  const listener = fence.node(async (request, response, claim) => {
    values.set(claim.resource, await bodyOf(request));
    response.end('{}');
  });
  const url = await serve((request, response) => void listener(request, response));
  return {
    write: (name, claim, value) => send(url, name, claim, value),
    read: async (name) => values.get(name) ?? null,
    seen: async (name, slot) => memory.seen(name, slot),
    setUp: async () => undefined,
    close: async () => undefined,
  };
}

runFenceTable('httpFence', nodeWorld);

test('refusals: 428 without a token, 400 when malformed, 409 when stale', async () => {
  const fence = httpFence<Request>({ resource, present: memoryFence().present });
  const handle = fence.web(Response, async () => new Response('written'));
  const ask = async (headers: Record<string, string>): Promise<unknown> => {
    const response = await handle(new Request('http://a/orders', { headers }));
    if (response.ok) return response.text();
    const { status, code, token, seen } = await problemOf(response);
    expect(response.status).toBe(status);
    return { status, code, token, seen };
  };
  const invalid = (status: number): object => ({ status, code: 'INVALID' });
  expect(await ask({ 'Holdfast-Fencing-Token': '34' })).toBe('written');
  expect(await ask({})).toEqual(invalid(428));
  const wrong = ['', '0', '034', '+34', '3.4e1', '34, 34', '0x22', '9007199254740992', '-1', 'x'];
  for (const token of wrong) {
    expect(await ask({ 'Holdfast-Fencing-Token': token }), token).toEqual(invalid(400));
  }
  const also = { 'Holdfast-Fencing-Token': '35' };
  expect(await ask({ ...also, 'Holdfast-Fencing-Mode': 'write' })).toEqual(invalid(400));
  expect(await ask({ ...also, 'Holdfast-Fencing-Slots': '0,,1' })).toEqual(invalid(400));
  expect(await ask({ ...also, 'Holdfast-Fencing-Slots': '0, 1' })).toBe('written');
  const stale = { status: 409, code: 'STALE_TOKEN', token: 33, seen: 34 };
  expect(await ask({ 'Holdfast-Fencing-Token': '33' })).toEqual(stale);
});

test('a request under way is done before the first one of the next holder is let in', async () => {
  const fence = httpFence<Request>({ resource, present: memoryFence().present });
  const order: string[] = [];
  let goOn = (): void => undefined;
  const isSlow = new Promise<void>((resolve) => (goOn = resolve));
  const handle = fence.web(Response, async (_request, { token }) => {
    order.push(`${token} begins`);
    if (token === 33) await isSlow;
    order.push(`${token} ends`);
    return new Response();
  });
  const ask = (token: number, name = 'a'): Promise<Response> =>
    handle(new Request(`http://x/${name}`, { headers: claimHeaders({ token }) }));
  const [former, next, late] = [ask(33), ask(34), ask(33)];
  await ask(40, 'another');
  goOn();
  expect([(await former).status, (await next).status, (await late).status]).toEqual([
    200, 200, 409,
  ]);
  const expected = ['33 begins', '40 begins', '40 ends', '33 ends', '34 begins', '34 ends'];
  expect(order).toEqual(expected);
});

test('a stale token that the store of the handler refuses is told in the same way', async () => {
  const store = memoryFence();
  const fence = httpFence<Request>({ resource });
  const handle = fence.web(Response, (_request, claim) =>
    store.write(claim.resource, claim, () => new Response('written')),
  );
  const ask = (token: number): Promise<Response> =>
    handle(new Request('http://x/a', { headers: claimHeaders({ token }) }));
  expect([(await ask(34)).status, (await ask(33)).status]).toEqual([200, 409]);
});

test('errors of the handler are its own', async () => {
  const fence = httpFence<Request>({ resource, present: memoryFence().present });
  const handle = fence.web<Response>(Response, () => Promise.reject(new Error('of my own')));
  const asked = handle(new Request('http://x/a', { headers: claimHeaders({ token: 1 }) }));
  await expect(asked).rejects.toThrow('of my own');
  const untyped: { httpFence(options: unknown): unknown } = { httpFence };
  expect(() => untyped.httpFence({})).toThrow(/INVALID.*resource/);
});

test('no request ends the process: what it says wrong is its own, what fails is told', async () => {
  const errors: unknown[] = [];
  const present = memoryFence().present;
  const options = { resource, present, onError: (error: unknown) => errors.push(error) };
  const fence = httpFence<IncomingMessage>(options);
  const handle = fence.node<ServerResponse>((request, response) => {
    if (request.url === '/late') response.write('begun');
    throw new Error('of my own');
  });
  const url = await serve((request, response) => void handle(request, response));
  const malformed = await put(`${url}%ff`, claimHeaders({ token: 34 }));
  expect([malformed.status, (await problemOf(malformed)).code]).toEqual([400, 'INVALID']);
  expect(errors).toEqual([]);
  const failed = await put(`${url}a`, claimHeaders({ token: 34 }));
  expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('own')]);
  const late = put(`${url}late`, claimHeaders({ token: 34 })).then((answer) => answer.text());
  await expect(late).rejects.toThrow();
  expect(errors.map(String)).toEqual(['Error: of my own', 'Error: of my own']);
});

test('in a chain, what is refused is answered, what passes goes on', async () => {
  const fence = httpFence<IncomingMessage>({ resource, present: memoryFence().present });
  const url = await serve((request, response) => {
    void fence.middleware(request, response, (error) => {
      response.end(error === undefined ? JSON.stringify(fence.claimOf(request)) : 'failed');
    });
  });
  const passed = await put(`${url}a`, claimHeaders({ token: 34, slots: [1, 0] }));
  const claim = { resource: 'a', token: 34, mode: 'exclusive', slots: [0, 1] };
  expect(await passed.json()).toEqual(claim);
  expect((await put(`${url}a`, claimHeaders({ token: 33, slots: [1] }))).status).toBe(409);
  expect((await put(`${url}a`, {})).status).toBe(428);
});
