import { testTransport } from './transport.ts';
import { openWsWorld } from './ws-world.ts';

testTransport('ws', () => openWsWorld());
