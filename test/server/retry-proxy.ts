// A load balancer as they are: few connections to the nodes, kept and shared by all callers, and
// every request sent again, to the next node, when its answer does not come.

import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export interface RetryProxy {
  readonly address: string;
  /** Connections to nodes that were ever opened. */
  connections(): number;
  /** Requests that were sent to nodes, those again too. */
  sent(): number;
  /** The answers of the next requests are lost after a node has given them. */
  loseAnswers(count: number): void;
}

interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const TRIES_MAX = 200;

/** Starts a proxy before these nodes; it is closed after the test. */
export async function startRetryProxy(nodes: readonly string[]): Promise<RetryProxy> {
  const proxy = new Proxy(nodes);
  await proxy.start();
  onTestFinished(() => proxy.close());
  return proxy;
}

class Proxy implements RetryProxy {
  address = '';
  private readonly nodes: readonly string[];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly server: Server;
  private readonly sockets = new Set<unknown>();
  private requests = 0;
  private toLose = 0;
  private at = 0;

  constructor(nodes: readonly string[]) {
    this.nodes = nodes;
    this.server = createServer((incoming, outgoing) => {
      this.serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    const bound = this.server.address();
    this.address = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  }

  close(): void {
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }

  connections(): number {
    return this.sockets.size;
  }

  sent(): number {
    return this.requests;
  }

  loseAnswers(count: number): void {
    this.toLose = count;
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const { method = 'GET', url: path = '/' } = incoming;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await this.forward({ method, path, body });
      if (answer === null || answer.status === 307) {
        this.at++;
        continue;
      }
      outgoing.writeHead(answer.status, { 'Content-Type': answer.type });
      outgoing.end(answer.body);
      return;
    }
    outgoing.writeHead(502).end();
  }

  /** One try; null when no answer came, or it was lost. */
  private forward({ method, path, body }: Incoming): Promise<Answer | null> {
    const url = `http://${this.nodes[this.at % this.nodes.length] ?? ''}${path}`;
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    this.requests++;
    return new Promise((resolve) => {
      const outgoing = request(url, { method, headers, agent: this.agent }, (response) => {
        bytesOf(response).then(
          (answer) => {
            const type = response.headers['content-type'] ?? '';
            const status = response.statusCode ?? 0;
            const isLost = this.toLose > 0 && status !== 307;
            if (isLost) this.toLose--;
            resolve(isLost ? null : { status, type, body: answer });
          },
          () => resolve(null),
        );
      });
      outgoing.on('socket', (socket) => this.sockets.add(socket));
      outgoing.on('error', () => resolve(null));
      outgoing.end(body);
    });
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
