// A network between a command and a node, which may drop every packet from one moment on: nothing
// is closed, nothing arrives, in neither direction.

import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SilentProxy {
  readonly address: string;
  /** From now on no byte comes through, and no end of a connection either. */
  goSilent(): void;
}

/** A proxy before one node; gone after the test. */
export async function startSilentProxy(node: string): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const [host = '', port = ''] = node.split(':');
  const server = createServer((near) => {
    // Accepted by the kernel, as before a host that is gone; nobody will ever answer.
    keep(near);
    if (isSilent) return;
    const far = connect(Number(port), host);
    keep(far);
    join(near, far);
    join(far, near);
  });

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }

  function join(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (!isSilent) to.write(bytes);
    });
    from.on('close', () => {
      if (!isSilent) to.destroy();
    });
  }

  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  const own = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `127.0.0.1:${own}`,
    goSilent: () => {
      isSilent = true;
    },
  };
}
