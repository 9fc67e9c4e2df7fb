// Asks one given node one question over a link of its own. Founding and status concern a node
// itself, blank or founded, leader or not; a client proper would look for the leader instead.

import { HoldfastError } from '../base/error.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link, Transport } from '../ports/transport.ts';
import { CLIENT_PROTOCOL } from '../wire/client-messages.ts';
import type {
  FoundingStep,
  NodeMessage,
  Query,
  QueryMessage,
  FoundingMessage,
  QueryResult,
} from '../wire/client-messages.ts';
import { decodeNodeMessages, encodeClientMessages } from '../wire/client.ts';

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
  /** How long to dial again where nobody listens yet, and to wait for the answer. */
  readonly patienceMs: number;
  /** Do not dial again: whoever asks wants to know how it is now. Default false. */
  readonly isOnce?: boolean;
}

const REQUEST_ID = 1;
const REDIAL_MS = 50;

/**
 * The node's answer, which may be a refusal (`kind: 'refused'`). Rejects with UNAVAILABLE when
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
  private readonly deadline: { cancel(): void };
  /** What to undo when the attempt is over: a dial, a pause before one, or a link. */
  private abandon: () => void = () => {};
  private lastProblem = 'it did not answer';
  private isOver = false;

  constructor(
    ports: SingleRequestPorts,
    request: SingleRequest,
    done: (result: QueryResult | HoldfastError) => void,
  ) {
    this.ports = ports;
    this.request = request;
    this.done = done;
    this.deadline = ports.clock.after(request.patienceMs * US_PER_MS, () => {
      this.fail(`${this.lastProblem} within ${request.patienceMs} ms`);
    });
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
    this.lastProblem = 'it did not answer';
    this.abandon = () => {
      link.close('done');
    };
    link.onFrame = (frame) => {
      this.read(frame);
    };
    link.onClose = (reason) => {
      if (!this.isOver) this.fail(`the connection ended (${reason})`);
    };
    const { min: versionMin, max: versionMax } = CLIENT_PROTOCOL;
    const name = 'holdfast';
    link.send(
      encodeClientMessages([
        { type: 'hello', versionMin, versionMax, clusterId: null, name },
        messageOf(this.request.question),
      ]),
    );
  }

  private read(frame: Uint8Array): void {
    let messages: readonly NodeMessage[];
    try {
      messages = decodeNodeMessages(frame);
    } catch (cause) {
      this.fail('it does not speak our protocol', cause);
      return;
    }
    for (const message of messages) {
      if (message.type === 'answer' && message.requestId === REQUEST_ID) {
        this.finish(message.result);
      } else if (message.type === 'goodbye') {
        this.finish(new HoldfastError(message.code, `${this.where()}: ${message.message}`));
      }
    }
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
    this.abandon();
    this.done(result);
  }
}

function messageOf(question: Question): QueryMessage | FoundingMessage {
  return { ...question, requestId: REQUEST_ID };
}
