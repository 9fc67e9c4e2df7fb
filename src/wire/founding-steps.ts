// The steps of founding and of a restore, as positional arrays [step, …].

import { unreachable } from '../base/assert.ts';
import type { FoundingStep } from './client-messages.ts';
import { memberFields, readMember } from './config.ts';
import { foundingFields, limitsFields, readFounding, readLimits } from './founding.ts';
import { Reader, choiceOf } from './reader.ts';

const STEPS = [
  'ask',
  'mint',
  'found',
  'mintRestored',
  'restorePart',
] as const satisfies readonly FoundingStep['step'][];

type Minting = Extract<FoundingStep, { readonly members: unknown }>;

/** The step as a positional array. */
export function stepFields(step: FoundingStep): unknown[] {
  const tag = choiceOf(STEPS, step.step);
  switch (step.step) {
    case 'ask':
      return [tag];
    case 'mint':
      return [tag, ...clusterFields(step), step.origin];
    case 'found':
      return [tag, foundingFields(step.record)];
    case 'mintRestored':
      return [tag, ...clusterFields(step), step.backup.index, step.backup.term, step.tokenFloor];
    case 'restorePart':
      return [tag, step.sequence, step.isLast, step.content];
    default:
      return unreachable(step);
  }
}

/** Throws DecodeError. The content of a part is a view into the frame. */
export function readStep(value: unknown): FoundingStep {
  const read = new Reader(value, 'founding');
  return read.done(readContent(read));
}

function readContent(read: Reader): FoundingStep {
  const step = read.choice('step', STEPS);
  switch (step) {
    case 'ask':
      return { step };
    case 'mint':
      return { step, ...readCluster(read), origin: read.integerOrNull('origin') };
    case 'found':
      return { step, record: readFounding(read.any('record'), 'founding.record') };
    case 'mintRestored':
      return {
        step,
        ...readCluster(read),
        backup: { index: read.integer('backup.index'), term: read.integer('backup.term') },
        tokenFloor: read.integerOrNull('tokenFloor'),
      };
    case 'restorePart':
      return {
        step,
        sequence: read.integer('sequence'),
        isLast: read.flag('isLast'),
        content: read.bytes('content'),
      };
    default:
      return unreachable(step);
  }
}

function clusterFields({ clusterName, members, limits }: Minting): unknown[] {
  return [clusterName, members.map(memberFields), limitsFields(limits)];
}

function readCluster(read: Reader): Pick<Minting, 'clusterName' | 'members' | 'limits'> {
  return {
    clusterName: read.text('clusterName'),
    members: read.list('members', readMember),
    limits: readLimits(read.any('limits'), 'founding.limits'),
  };
}
