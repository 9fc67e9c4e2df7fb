import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { DialFailure, Link, Transport } from '../ports/transport.ts';
import type { Member } from '../raft/config.ts';
import type { PeerHello, PeerMessage } from '../wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../wire/peer.ts';

/** A node that was dialled must have said hello after this time. */
const HELLO_MS_MAX = 5_000;

/** Who is wanted, and by whom. */
export interface MeetingOptions {
  readonly ports: { readonly clock: Clock; readonly transport: Transport };
  readonly hello: PeerHello;
  readonly wanted: { readonly nodeId: string; readonly address: string };
}

/**
 * Dials a node that is to become a member, and reads from its hello who it is: nothing is written
 * to the log for an address with a typing error, or for a directory that belongs to somebody
 * (RAFT.md §15.6). Answers with the member, or with why it cannot be one.
 */
export function meetMember(options: MeetingOptions, done: (met: Member | string) => void): void {
  const { ports, wanted, hello } = options;
  const settle = once(done);
  ports.transport.dial(wanted.address, 'peer', (link) => {
    if (typeof link !== 'object') return settle(describeFailure(wanted, link));
    const timer = ports.clock.after(HELLO_MS_MAX * US_PER_MS, () =>
      end(`${wanted.address} says nothing: is it a node of Holdfast?`),
    );
    const end = (met: Member | string): void => {
      timer.cancel();
      link.close('met');
      settle(met);
    };
    link.onClose = (reason) => end(`${wanted.address} hung up: ${reason}`);
    link.onFrame = (frame) => end(judge(frame, options));
    greet(link, hello);
  });
}

function greet(link: Link, hello: PeerHello): void {
  link.send(encodePeer(hello, 0));
}

function judge(frame: Uint8Array, options: MeetingOptions): Member | string {
  const { wanted, hello } = options;
  const message = readFrame(frame);
  if (typeof message === 'string') return `${wanted.address} sent garbage: ${message}`;
  if (message.type === 'peerRefusal') return `${wanted.address} refuses us: ${message.message}`;
  if (message.type !== 'peerHello') return `${wanted.address} sent ${message.type}, not a hello`;
  const { nodeId, storeId, clusterId } = message;
  if (nodeId !== wanted.nodeId) {
    return `expected node ${wanted.nodeId} at ${wanted.address}, but ${nodeId} answered`;
  }
  if (clusterId !== null) {
    const whose =
      clusterId === hello.clusterId ? 'was a member of this cluster' : 'belongs to another';
    return (
      `the directory of ${nodeId} is not blank: it ${whose}. ` +
      `Wipe it, and give the node a new id if ${nodeId} was ever used here`
    );
  }
  if (message.electionMs !== hello.electionMs || message.heartbeatMs !== hello.heartbeatMs) {
    return (
      `${nodeId} has heartbeatMs ${message.heartbeatMs}, electionMs ${message.electionMs}; the ` +
      `cluster has ${hello.heartbeatMs} and ${hello.electionMs}`
    );
  }
  // What the leader applies may be in the log: from a time when all members announced it.
  if (message.commandSet < hello.commandSet) {
    return (
      `${nodeId} applies command set ${message.commandSet}, and the leader ${hello.commandSet}: ` +
      `it runs an older release`
    );
  }
  return { nodeId, storeId, address: wanted.address };
}

function readFrame(frame: Uint8Array): PeerMessage | string {
  try {
    return decodePeer(frame, 0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describeFailure(wanted: { readonly address: string }, failure: DialFailure): string {
  return failure === 'refused'
    ? `nobody listens at ${wanted.address}: start the node first`
    : `${wanted.address} cannot be reached`;
}

function once<T>(done: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    done(value);
  };
}
