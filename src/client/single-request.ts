// Asks one given node over a link of its own: one question, or several in turn. Founding and
// status concern a node itself, blank or founded, leader or not; a client proper would look for
// the leader instead.

import { HoldfastError } from '../base/error.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link, Transport } from '../ports/transport.ts';
import { CLIENT_PROTOCOL } from '../wire/client-messages.ts';
import type { FoundingStep, NodeMessage, Query, QueryResult } from '../wire/client-messages.ts';
import { decodeNodeMessages, encodeClientMessages } from '../wire/client.ts';
import { Reminder } from './reminder.ts';

/** The part of the world that a single request needs. */
export interface SingleRequestPorts {
  readonly clock: Clock;
  readonly transport: Transport;
}

/** What can be asked of a node itself. */
export type Question =
  | { readonly type: 'query'; readonly query: Query }
  | { readonly type: 'founding'; readonly step: FoundingStep };

export interface SingleRequest {
  /** `host:port` of the node. */
  readonly address: string;
  readonly question: Question;
  /** What to ask over the same link after an answer; null: nothing. Default: one question. */
  readonly next?: (result: QueryResult) => Question | null;
  /** How long to dial again where nobody listens yet, and to wait for each answer. */
  readonly patienceMs: number;
  /** Do not dial again: whoever asks wants to know how it is now. Default false. */
  readonly isOnce?: boolean;
  /** Hears now and then, while an answer is awaited, what is in the way. */
  readonly onWaiting?: (problem: string) => void;
}

const REDIAL_MS = 50;
const NO_ANSWER = 'it did not answer';

/**
 * The node's last answer, which may be a refusal (`kind: 'refused'`). Rejects with UNAVAILABLE when
 * there was none in time, and with the node's own code when it said goodbye instead.
 */
export function askNode(ports: SingleRequestPorts, request: SingleRequest): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const attempt = new Attempt(ports, request, (result) => {
      if (result instanceof HoldfastError) reject(result);
      else resolve(result);
    });
    attempt.dial();
  });
}

class Attempt {
  private readonly ports: SingleRequestPorts;
  private readonly request: SingleRequest;
  private readonly done: (result: QueryResult | HoldfastError) => void;
  private deadline: { cancel(): void };
  private readonly reminder: Reminder;
  /** What to undo when the attempt is over: a dial, a pause before one, or a link. */
  private abandon: () => void = () => {};
  private lastProblem = NO_ANSWER;
  private isOver = false;
  private requestId = 1;

  constructor(
    ports: SingleRequestPorts,
    request: SingleRequest,
    done: (result: QueryResult | HoldfastError) => void,
  ) {
    this.ports = ports;
    this.request = request;
    this.done = done;
    this.deadline = this.startDeadline();
    this.reminder = new Reminder(ports.clock, () => request.onWaiting?.(this.lastProblem));
  }

  dial(): void {
    const attempt = this.ports.transport.dial(this.request.address, 'client', (result) => {
      if (this.isOver) return;
      if (result === 'refused') this.redial('nobody listened there');
      else if (result === 'failed') this.redial('no connection was made');
      else this.ask(result);
    });
    this.abandon = () => {
      attempt.cancel();
    };
  }

  private redial(problem: string): void {
    if (this.request.isOnce === true) {
      this.fail(problem);
      return;
    }
    this.lastProblem = problem;
    const pause = this.ports.clock.after(REDIAL_MS * US_PER_MS, () => {
      if (!this.isOver) this.dial();
    });
    this.abandon = () => {
      pause.cancel();
    };
  }

  private ask(link: Link): void {
    this.lastProblem = NO_ANSWER;
    this.abandon = () => {
      link.close('done');
    };
    link.onFrame = (frame) => {
      this.read(link, frame);
    };
    link.onClose = (reason) => {
      if (!this.isOver) this.fail(`the connection ended (${reason})`);
    };
    const { min: versionMin, max: versionMax } = CLIENT_PROTOCOL;
    const name = 'holdfast';
    link.send(
      encodeClientMessages([
        { type: 'hello', versionMin, versionMax, clusterId: null, name },
        { ...this.request.question, requestId: this.requestId },
      ]),
    );
  }

  private read(link: Link, frame: Uint8Array): void {
    let messages: readonly NodeMessage[];
    try {
      messages = decodeNodeMessages(frame);
    } catch (cause) {
      this.fail('it does not speak our protocol', cause);
      return;
    }
    for (const message of messages) {
      if (message.type === 'answer' && message.requestId === this.requestId) {
        this.goOn(link, message.result);
      } else if (message.type === 'goodbye') {
        this.finish(new HoldfastError(message.code, `${this.where()}: ${message.message}`));
      }
    }
  }

  private goOn(link: Link, result: QueryResult): void {
    const question = this.request.next?.(result) ?? null;
    if (question === null || this.isOver) return this.finish(result);
    this.deadline.cancel();
    this.deadline = this.startDeadline();
    this.requestId += 1;
    link.send(encodeClientMessages([{ ...question, requestId: this.requestId }]));
  }

  private startDeadline(): { cancel(): void } {
    const { patienceMs } = this.request;
    return this.ports.clock.after(patienceMs * US_PER_MS, () => {
      this.fail(`${this.lastProblem} within ${patienceMs} ms`);
    });
  }

  private fail(problem: string, cause?: unknown): void {
    this.finish(new HoldfastError('UNAVAILABLE', `${this.where()}: ${problem}`, { cause }));
  }

  private where(): string {
    return `the node at ${this.request.address}`;
  }

  private finish(result: QueryResult | HoldfastError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.deadline.cancel();
    this.reminder.stop();
    this.abandon();
    this.done(result);
  }
}
