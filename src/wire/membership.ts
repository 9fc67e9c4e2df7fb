// Who takes part, as clients and operators are told, as positional arrays.

import type { MembershipView, MembersNews, MemberView } from './client-messages.ts';
import { Reader, choiceOf, textItem } from './reader.ts';

const ROLES = [
  'voter',
  'learner',
  'joining',
  'leaving',
] as const satisfies readonly MemberView['role'][];

type MemberPlace = MembersNews['members'][number];

/** The view as a positional array. */
export function membershipFields(view: MembershipView): unknown[] {
  const { configIndex, isCommitted, isJoint, members, retired } = view;
  return [configIndex, isCommitted, isJoint, members.map(memberViewFields), retired];
}

/** Throws DecodeError. */
export function readMembership(value: unknown): MembershipView {
  const read = new Reader(value, 'membership');
  return read.done({
    configIndex: read.integer('configIndex'),
    isCommitted: read.flag('isCommitted'),
    isJoint: read.flag('isJoint'),
    members: read.list('members', readMemberView),
    retired: read.list('retired', textItem),
  });
}

/** Where a member is, as a positional array. */
export function placeFields({ nodeId, address }: MemberPlace): unknown[] {
  return [nodeId, address];
}

/** Throws DecodeError. */
export function readPlace(value: unknown, what: string): MemberPlace {
  const read = new Reader(value, what);
  return read.done({ nodeId: read.text('nodeId'), address: read.text('address') });
}

function memberViewFields(member: MemberView): unknown[] {
  return [
    member.nodeId,
    member.storeId,
    member.address,
    choiceOf(ROLES, member.role),
    member.isConnected,
    member.isCaughtUp,
    member.matchIndex,
  ];
}

function readMemberView(value: unknown, what: string): MemberView {
  const read = new Reader(value, what);
  return read.done({
    nodeId: read.text('nodeId'),
    storeId: read.text('storeId'),
    address: read.text('address'),
    role: read.choice('role', ROLES),
    isConnected: read.flag('isConnected'),
    isCaughtUp: read.flag('isCaughtUp'),
    matchIndex: read.integer('matchIndex'),
  });
}
