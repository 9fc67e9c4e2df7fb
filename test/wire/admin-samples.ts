import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { AdminStep } from '../../src/wire/client-messages.ts';
import { ORIGIN } from './samples.ts';

/** Every step of administration. */
export const ADMIN_STEPS: readonly AdminStep[] = [
  {
    step: 'addMember',
    nodeId: 'n4',
    address: '127.0.0.1:7104',
    isVoter: true,
    expectedIndex: ORIGIN,
  },
  { step: 'promote', nodeId: 'n4', expectedIndex: null },
  { step: 'removeMember', nodeId: 'n1', expectedIndex: ORIGIN },
  {
    step: 'replace',
    nodeId: 'n1',
    by: { nodeId: 'n4', address: '127.0.0.1:7104' },
    expectedIndex: null,
  },
  { step: 'transfer', to: 'n2' },
  { step: 'backupBegin' },
  { step: 'backupRows', backupId: 4, after: 'l/größe' },
  { step: 'backupEnd', backupId: 4 },
  {
    step: 'setLimits',
    expected: DEFAULT_LIMITS,
    limits: { ...DEFAULT_LIMITS, ttlMsMax: 700_000 },
    by: 'ops',
  },
];
