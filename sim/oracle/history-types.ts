import type { Revision, SessionId } from '../../src/base/units.ts';
import type {
  KeepAliveResult,
  Query,
  QueryResult,
  Reply,
  SessionNews,
} from '../../src/wire/client-messages.ts';
import type { CommandBody } from '../../src/wire/command.ts';

/**
 * When something was seen. `order` counts all that a history sees, so it orders what happened at
 * one virtual time too; `atUs` is for messages.
 */
export interface Moment {
  readonly order: number;
  readonly atUs: number;
}

/** Something that left a client for a node. */
export interface Sent extends Moment {
  /** Highest revision that any client had heard by then: what it asks for can only come after. */
  readonly floor: Revision;
}

/** What a node said in answer. `revision` is 0 when it refused. */
export interface Heard<Content> extends Moment {
  readonly revision: Revision;
  readonly content: Content;
}

/** One sending of a command; every answer belongs to one. */
export interface Transmission {
  readonly requestId: number;
  readonly sent: Sent;
  /** null while, or because, none came. */
  heard: Heard<Reply['outcome']> | null;
}

/** A command with all its transmissions: one thing that a client wanted done once. */
export interface CommandOperation {
  readonly kind: 'command';
  /** Position in the history. */
  readonly id: number;
  readonly client: string;
  readonly body: CommandBody;
  /** At least one, in the order in which they were sent. */
  readonly transmissions: Transmission[];
}

/** One question, as it was sent once. */
export interface QueryOperation {
  readonly kind: 'query';
  readonly id: number;
  readonly client: string;
  readonly query: Query;
  readonly sent: Sent;
  heard: Heard<QueryResult> | null;
}

/** One renewal, as it was sent once: a question whether the session lives. Has no revision. */
export interface KeepAliveOperation {
  readonly kind: 'keepAlive';
  readonly id: number;
  readonly client: string;
  readonly session: SessionId;
  readonly sent: Sent;
  heard: Heard<KeepAliveResult> | null;
}

/** Whatever a client asks for. */
export type Operation = CommandOperation | QueryOperation | KeepAliveOperation;

/** News that reached a client: answers to acquires that wait, and ends that nobody asked for. */
export interface NewsHeard extends Heard<SessionNews> {
  readonly client: string;
}
