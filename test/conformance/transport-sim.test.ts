import type { Transport } from '../../src/ports/transport.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { ProcessHandle } from '../../sim/world/world.ts';
import { testTransport } from './transport.ts';
import type { TransportWorld } from './transport.ts';

async function openSimWorld(): Promise<TransportWorld> {
  const world = createWorld({ seed: 1 });
  const transportOf = (name: string): ProcessHandle<Transport> => {
    const handle = world.process({ name, isSync: true, start: ({ transport }) => transport });
    handle.start();
    return handle;
  };
  const handles = [transportOf('listener'), transportOf('dialer')];
  await world.run(1_000);
  const [listener, dialer] = handles.map((handle) => handle.program);
  if (!listener || !dialer) throw new Error('not started');
  return {
    listener,
    dialer,
    address: () => 'listener:1',
    deadAddress: 'nowhere:1',
    until: async (what, condition) => {
      if (!(await world.run(condition))) throw new Error(`never came: ${what}`);
    },
    end: async () => {},
  };
}

testTransport('the simulated network', openSimWorld);
