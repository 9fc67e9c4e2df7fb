// What sessions ask of locks over HTTP: acquire, one name or several, proclaim, release.

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { nameProblem } from '../base/name.ts';
import { drawUnnumbered } from '../client/draws.ts';
import type { RequestItem } from '../locks/commands.ts';
import type { HttpGrant } from './acquire-call.ts';
import type { HttpEnv, Routing } from './routing.ts';
import { callerOf, fields, invalid, pathName, readBody, whole } from './request.ts';
import { slotsByName } from './views.ts';

const WAIT_MS_MAX = 60_000;
const NAMES_MAX = 64;
const PERMITS_MAX = 1_000_000;
/** Answers that a caller who does not acknowledge may still ask for again. */
const RETRY_WINDOW = 1_000;

const numbered = {
  seq: fields.seq.optional(),
  ackedBelow: whole(0, Number.MAX_SAFE_INTEGER).optional(),
};

const manner = {
  mode: z.enum(['exclusive', 'shared'], '"exclusive" or "shared"').default('exclusive'),
  permits: z
    .tuple([whole(1, PERMITS_MAX), whole(1, PERMITS_MAX)], 'a pair [taken, total]')
    .nullable()
    .default(null),
};

const wish = {
  session: fields.session,
  ...numbered,
  waitMs: whole(0, WAIT_MS_MAX).default(0),
  meta: fields.meta.default({}),
  value: fields.value.nullable().default(null),
};

const acquireBody = z.strictObject({ ...wish, ...manner }, 'an object');

const acquireAllBody = z.strictObject(
  {
    ...wish,
    items: z
      .array(
        z.strictObject({ name: z.string('a name'), ...manner }, 'an object with a name'),
        'a list of names',
      )
      .min(1, `a list of 1 to ${NAMES_MAX} names`)
      .max(NAMES_MAX, `a list of 1 to ${NAMES_MAX} names`),
  },
  'an object',
);

/** Names one grant of a session. */
const grantFields = {
  session: fields.session,
  token: fields.token,
  acquireSeq: fields.acquireSeq.optional(),
};

const releaseBody = z.strictObject({ ...grantFields, ...numbered }, 'an object');

const proclaimBody = z.strictObject(
  { ...grantFields, ...numbered, value: fields.value },
  'an object',
);

/** POST /v1/acquire, POST /v1/locks/{name}/acquire, …/release and …/proclaim. */
export function requestRoutes(app: Hono<HttpEnv>, routing: Routing): void {
  const { calls, random, bodyBytesMax } = routing;

  app.post('/v1/locks/:name/acquire', async (context) => {
    const name = pathName(context);
    const { mode, permits, ...body } = await readBody(context, acquireBody, bodyBytesMax);
    const grant = await acquire(context, routing, { ...body, items: [{ name, mode, permits }] });
    return context.json({ ...grant, slots: grant.slots[0] ?? [] });
  });

  app.post('/v1/acquire', async (context) => {
    const body = await readBody(context, acquireAllBody, bodyBytesMax);
    for (const [at, { name }] of body.items.entries()) {
      const problem = nameProblem(name);
      if (problem !== null) throw invalid(`items[${at}].name: ${problem}`);
    }
    const grant = await acquire(context, routing, body);
    return context.json({ ...grant, slots: slotsByName(body.items, grant.slots) });
  });

  app.post('/v1/locks/:name/release', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, releaseBody, bodyBytesMax);
    const { session, token, seq = drawUnnumbered(random), acquireSeq = null } = body;
    const release = { op: 'release', session, seq, name, acquireSeq, token } as const;
    const { revision } = await calls.execute(release, acknowledged(body));
    return context.json({ revision });
  });

  app.post('/v1/locks/:name/proclaim', async (context) => {
    const name = pathName(context);
    const body = await readBody(context, proclaimBody, bodyBytesMax);
    const { session, token, value, seq = drawUnnumbered(random), acquireSeq = null } = body;
    const proclaim = { op: 'proclaim', session, seq, name, acquireSeq, token, value } as const;
    const { revision } = await calls.execute(proclaim, acknowledged(body));
    return context.json({ revision });
  });
}

interface Wish extends Numbered {
  readonly session: string;
  readonly items: readonly RequestItem[];
  readonly waitMs: number;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly value: string | null;
}

function acquire(
  context: Context<HttpEnv>,
  { acquires, random }: Routing,
  body: Wish,
): Promise<HttpGrant> {
  const { session, seq, items, waitMs, value } = body;
  if (waitMs > 0 && seq === undefined) {
    // A retry must find the waiter or grant that a lost answer was about.
    throw invalid('seq: expected a number for this request, for waitMs is above 0; got nothing');
  }
  return acquires.acquire(
    {
      session,
      seq: seq ?? drawUnnumbered(random),
      ackedBelow: acknowledged(body),
      items,
      waitMs,
      meta: JSON.stringify(body.meta),
      value,
    },
    callerOf(context),
  );
}

interface Numbered {
  readonly seq?: number | undefined;
  readonly ackedBelow?: number | undefined;
}

// Without a number nothing is stored, so there is nothing to acknowledge either.
function acknowledged({ seq, ackedBelow }: Numbered): number {
  if (seq === undefined) return 0;
  return ackedBelow ?? Math.max(0, seq - RETRY_WINDOW);
}
