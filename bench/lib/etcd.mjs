// Requests to etcd's JSON gateway.

import { request } from 'node:http';

/** A key or value as the gateway wants it. */
export const encoded = (text) => Buffer.from(text).toString('base64');

/** Posts to the node at the port; resolves with the answer, rejects unless it is a success. */
export function askEtcd({ port, agent }, path, body) {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/v3${path}`, method: 'POST', agent, headers };
    const sent = request(options, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (answer += chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(answer));
        else reject(new Error(`etcd: ${response.statusCode} ${answer}`));
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
