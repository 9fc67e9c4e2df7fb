// A caller of the HTTP door, as plain as any other language would be.

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpCall {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Sends one request and reads the JSON that comes back; redirects are not followed. */
export async function call(
  address: string,
  line: `${'GET' | 'POST' | 'DELETE'} ${string}`,
  { headers = {}, body, signal }: HttpCall = {},
): Promise<HttpAnswer> {
  const [method = '', path = ''] = line.split(' ');
  const type: Record<string, string> =
    body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(`http://${address}${path}`, {
    method,
    headers: { ...type, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const content: unknown = await response.json();
  return {
    status: response.status,
    headers: response.headers,
    body: isRecord(content) ? content : {},
  };
}

/** Opens a session and gives its id. */
export async function openSession(address: string, fields: object = {}): Promise<string> {
  const { body } = await call(address, 'POST /v1/sessions', { body: fields });
  const { session } = body;
  if (typeof session !== 'string') throw new Error(`no session: ${JSON.stringify(body)}`);
  return session;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
