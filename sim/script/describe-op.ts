import { nameOf, spanOf } from './describe-names.ts';
import { WAIT_ARG_MIN } from './ranges.ts';
import type { Op, Script } from './types.ts';

/** What a client does, as a clause. */
export function describeOp({ shape }: Script, { kind, client, key, holdMs, arg }: Op): string {
  const who = nameOf('c', client, shape.clients);
  const what = nameOf('k', key, shape.keys);
  const hold = `and holds it for ${spanOf(holdMs)}`;
  const wait = arg < WAIT_ARG_MIN ? '' : `, for ${spanOf(arg)} at most,`;
  switch (kind) {
    case 'acquire':
      return `${who} asks for ${what}${wait} ${hold}`;
    case 'tryAcquire':
      return `${who} tries to get ${what} ${hold}`;
    case 'acquireAll': {
      const next = nameOf('k', key + 1, shape.keys);
      return `${who} asks for ${what} and ${next} at once${wait} ${hold}`;
    }
    case 'release':
      return `${who} releases hold ${arg} early`;
    case 'cancel':
      return `${who} gives up wait ${arg}`;
    case 'inspect':
      return `${who} looks at ${what}`;
    case 'list':
      return `${who} lists all locks`;
    case 'break':
      return `${who} breaks ${what} by force`;
    case 'endSession':
      return `${who} ends the session of ${nameOf('c', client + 1, shape.clients)}`;
    case 'close':
      return `${who} closes its client and begins anew`;
  }
}
