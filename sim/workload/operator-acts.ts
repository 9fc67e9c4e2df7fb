// What people and tools do who look at locks, and break them.

import type { ErrorCode } from '../../src/base/error.ts';
import type { Client } from '../../src/client/client-types.ts';
import { ask, keyOf } from './scene.ts';
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

/** Breaks the lock by force, if somebody holds it. */
export async function breakLock(scene: Scene): Promise<void> {
  const { holder } = await view(scene);
  if (holder === null) return;
  const name = keyOf(scene);
  const { token } = holder;
  scene.stage.beliefs.waiveGrant(name, token);
  const breaking = (client: Client): Promise<void> =>
    client.break(name, { token, reason: 'as the script says' });
  await ask(scene, `break ${name}`, breaking, BREAK_CODES);
}

function view(scene: Scene): ReturnType<Client['inspect']> {
  return ask(scene, 'inspect', (client) => client.inspect(keyOf(scene)));
}
