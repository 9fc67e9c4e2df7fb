// What an operator asks of the leader, as positional arrays [step, …].

import { unreachable } from '../base/assert.ts';
import type { AdminStep } from './client-messages.ts';
import { limitsFields, readLimits } from './founding.ts';
import { Reader, choiceOf } from './reader.ts';

const STEPS = [
  'addMember',
  'promote',
  'removeMember',
  'replace',
  'transfer',
  'backupBegin',
  'backupRows',
  'backupEnd',
  'setLimits',
] as const satisfies readonly AdminStep['step'][];

/** The step as a positional array. */
export function adminFields(step: AdminStep): unknown[] {
  const tag = choiceOf(STEPS, step.step);
  switch (step.step) {
    case 'addMember':
      return [tag, step.nodeId, step.address, step.isVoter, step.expectedIndex];
    case 'promote':
    case 'removeMember':
      return [tag, step.nodeId, step.expectedIndex];
    case 'replace':
      return [tag, step.nodeId, step.by.nodeId, step.by.address, step.expectedIndex];
    case 'transfer':
      return [tag, step.to];
    case 'backupBegin':
      return [tag];
    case 'backupRows':
      return [tag, step.backupId, step.after];
    case 'backupEnd':
      return [tag, step.backupId];
    case 'setLimits':
      return [tag, limitsFields(step.expected), limitsFields(step.limits), step.by];
    default:
      return unreachable(step);
  }
}

/** Throws DecodeError. */
export function readAdmin(value: unknown): AdminStep {
  const read = new Reader(value, 'admin');
  return read.done(readContent(read));
}

function readContent(read: Reader): AdminStep {
  const step = read.choice('step', STEPS);
  switch (step) {
    case 'addMember':
      return {
        step,
        nodeId: read.text('nodeId'),
        address: read.text('address'),
        isVoter: read.flag('isVoter'),
        expectedIndex: read.integerOrNull('expectedIndex'),
      };
    case 'promote':
    case 'removeMember':
      return {
        step,
        nodeId: read.text('nodeId'),
        expectedIndex: read.integerOrNull('expectedIndex'),
      };
    case 'replace':
      return {
        step,
        nodeId: read.text('nodeId'),
        by: { nodeId: read.text('by.nodeId'), address: read.text('by.address') },
        expectedIndex: read.integerOrNull('expectedIndex'),
      };
    case 'transfer':
      return { step, to: read.textOrNull('to') };
    case 'backupBegin':
      return { step };
    case 'backupRows':
      return { step, backupId: read.integer('backupId'), after: read.text('after') };
    case 'backupEnd':
      return { step, backupId: read.integer('backupId') };
    case 'setLimits':
      return {
        step,
        expected: readLimits(read.any('expected'), 'admin.expected'),
        limits: readLimits(read.any('limits'), 'admin.limits'),
        by: read.text('by'),
      };
    default:
      return unreachable(step);
  }
}
