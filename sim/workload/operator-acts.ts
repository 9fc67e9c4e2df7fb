// What people and tools do who look at locks, and break them.

import type { ErrorCode } from '../../src/base/error.ts';
import type { Client } from '../../src/client/client-types.ts';
import { nameByArg } from '../script/names.ts';
import { ask } from './scene.ts';
import type { Scene } from './scene.ts';

const BREAK_CODES: readonly ErrorCode[] = ['NOT_HOLDER', 'OUTCOME_UNKNOWN'];

/** Looks at the lock. */
export async function inspect(scene: Scene): Promise<void> {
  await view(scene);
}

/** Looks at all locks. */
export async function list(scene: Scene): Promise<void> {
  await ask(scene, 'list', (client) => client.list());
}

/** Breaks the lock by force, if somebody holds it; or else ends its delay. */
export async function breakLock(scene: Scene): Promise<void> {
  const { holders, ghosts } = await view(scene);
  const found = holders.length > 0 ? holders : ghosts;
  const token = found[scene.op.arg % found.length]?.token;
  if (token === undefined) return;
  const name = nameOf(scene);
  scene.stage.beliefs.waiveGrant(name, token);
  const breaking = (client: Client): Promise<void> =>
    client.break(name, { token, reason: 'as the script says' });
  await ask(scene, `break ${name}`, breaking, BREAK_CODES);
}

function view(scene: Scene): ReturnType<Client['inspect']> {
  return ask(scene, 'inspect', (client) => client.inspect(nameOf(scene)));
}

function nameOf({ op, stage }: Scene): string {
  return nameByArg(op, stage.keys);
}
