// A store of one process, served to workers in others: one request is one write.

import { createServer } from 'node:http';

/** Serves `guarded` and `bare`, each (resource, claim, value) => Promise. */
export async function serveWrites(writes) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { how, resource, claim, value } = JSON.parse(text);
    try {
      await writes[how](resource, claim, value);
      response.end('{}');
    } catch (error) {
      response.statusCode = 409;
      response.end(JSON.stringify({ code: error.code, message: String(error) }));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The writes of such a store, from elsewhere. */
export function writesOver(url) {
  const post = async (body) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.message), { code: answer.code });
  };
  return {
    guardedWrite: (resource, claim, value) => post({ how: 'guarded', resource, claim, value }),
    bareWrite: (resource, claim, value) => post({ how: 'bare', resource, claim, value }),
    close: async () => undefined,
  };
}
