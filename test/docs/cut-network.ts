// A network between clients and nodes that can be cut and mended: while it is cut no byte comes
// through, and nobody is told.

import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

export interface CutNetwork {
  /** One for each node. */
  readonly addresses: readonly string[];
  cut(): void;
  /** Connections of before are reset, others go through. */
  mend(): void;
  close(): Promise<void>;
}

/** A proxy before each of the nodes. */
export async function cutNetwork(nodes: readonly string[]): Promise<CutNetwork> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const join = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      if (!isCut) to.write(bytes);
    });
    from.on('close', () => {
      if (!isCut) to.destroy();
    });
  };
  const before = (node: string): Server => {
    const [host = '', port = ''] = node.split(':');
    return createServer((near) => {
      keep(near);
      if (isCut) return;
      const far = connect(Number(port), host);
      keep(far);
      join(near, far);
      join(far, near);
    });
  };
  const reset = (): void => sockets.forEach((socket) => socket.destroy());
  const servers = nodes.map(before);
  const addresses = await Promise.all(servers.map(listen));
  return {
    addresses,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      reset();
    },
    close: async () => {
      const closed = servers.map((server) => new Promise((done) => server.close(done)));
      reset();
      await Promise.all(closed);
    },
  };
}

/** Resolves with the address. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the proxy has no port');
  return `127.0.0.1:${bound.port}`;
}
