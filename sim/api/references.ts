// The slower check of a simulation: what real timers, files and sockets come about while a program
// runs, by whatever reference it reached them. It costs an extra call for each promise.

import { createHook } from 'node:async_hooks';
import { callerPlace } from './globals/place.ts';
import { grounds } from './ground.ts';

/** Node's names of resources that wait for something real, and what they are. */
const REAL: readonly (readonly [RegExp, string])[] = [
  [/^(Timeout|Immediate)$/, 'a real timer'],
  [/^(FS|FILEHANDLE|STATWATCHER|DIRHANDLE)/, 'a real file'],
  [/^(TCP|UDP|PIPE|TLS|HTTP|CONNECT|WRITEWRAP|SHUTDOWN)/, 'a real connection'],
  [/^(GETADDR|GETNAME|QUERY|DNS)/, 'the real name service'],
  [/^PROCESS/, 'a real process'],
  [/^(WORKER|MESSAGEPORT)/, 'a real thread'],
  [/^(RANDOM|PBKDF2|SCRYPT|HKDF|KEY|HASH|SIGN|CIPHER|DERIVE|CHECKPRIME|ZLIB)/, 'the thread pool'],
];

const HINT =
  'through a reference that was taken before the world began: take it later, from where it is, ' +
  'or import holdfast/sim/register before everything else';

/** Looks until the function that it gives is called. */
export function watchReferences(): () => void {
  const hook = createHook({
    init: (_, type) => {
      const ground = grounds.getStore();
      if (ground === undefined || ground.own === null) return;
      const found = REAL.find(([pattern]) => pattern.test(type));
      if (found === undefined) return;
      // Nothing may be thrown from here.
      ground.world.refuse(ground, `used ${found[1]} (${type}) at ${callerPlace().text} ${HINT}`);
    },
  });
  hook.enable();
  return () => void hook.disable();
}
