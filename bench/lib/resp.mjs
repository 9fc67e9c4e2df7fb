// As much of Redis' protocol as a lock needs: commands are pipelined on one connection, replies are
// texts, numbers or null.

import { connect } from 'node:net';

/** Connects to Redis on the loopback. */
export async function connectRedis(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return new RedisLink(socket);
}

class RedisLink {
  constructor(socket) {
    this.socket = socket;
    this.waiting = [];
    this.rest = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.hear(text));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('Redis closed the connection')));
  }

  /** Resolves with the reply; rejects with Redis' error. */
  ask(...parts) {
    const text = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('');
    this.socket.write(`*${parts.length}\r\n${text}`);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  close() {
    this.socket.destroy();
  }

  hear(text) {
    this.rest += text;
    let at = 0;
    for (let next = this.replyEnd(at); next !== -1; next = this.replyEnd(at)) {
      this.settle(this.rest.slice(at, next));
      at = next;
    }
    this.rest = this.rest.slice(at);
  }

  /** Where the reply that begins there ends; -1 while it is not all there. */
  replyEnd(at) {
    const line = this.rest.indexOf('\r\n', at);
    if (line === -1) return -1;
    if (this.rest[at] !== '$') return line + 2;
    const length = Number(this.rest.slice(at + 1, line));
    const end = length === -1 ? line + 2 : line + 2 + length + 2;
    return end <= this.rest.length ? end : -1;
  }

  settle(reply) {
    const { resolve, reject } = this.waiting.shift();
    const [head] = reply.slice(1).split('\r\n', 1);
    if (reply[0] === '-') reject(new Error(head));
    else if (reply[0] === ':') resolve(Number(head));
    else if (reply[0] === '+') resolve(head);
    else resolve(head === '-1' ? null : reply.slice(1 + head.length + 2, -2));
  }

  fail(error) {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
