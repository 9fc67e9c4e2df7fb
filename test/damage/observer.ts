// The other members of a cluster, as far as one node can tell: they take its links, ask it for its
// vote again and again, and once they have it send it an entry to acknowledge. Whatever it says to
// anybody is written down. What a node does not say here it has not said.

import { createServer } from 'node:http';
import { createOwnDoor } from '../../src/adapters/http-door.ts';
import { createWsTransport } from '../../src/adapters/ws-transport.ts';
import type { WsTransport } from '../../src/adapters/ws-transport.ts';
import type { Link } from '../../src/ports/transport.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { Member } from '../../src/raft/config.ts';
import type { RaftMessage } from '../../src/raft/messages.ts';
import { PEER_PROTOCOL } from '../../src/wire/peer-messages.ts';
import type { PeerHello, PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { clusterSeed } from '../../src/wire/record.ts';

/** The cluster that the observed node should take for its own. */
export interface ObservedCluster {
  readonly clusterId: string;
  readonly members: readonly Member[];
  readonly heartbeatMs: number;
  readonly electionMs: number;
}

/** The end of the observed node's log: a vote for less would be refused. */
export interface LogEnd {
  readonly index: number;
  readonly term: number;
}

/** Above all terms that the node can have seen. */
const TERM_STEP = 100;
/** First the entry, then the word that it is committed: only then it is part of the log's floor. */
const ROUND = { append: 1, commit: 2 } as const;

export class Observer {
  /** All that the node said, greetings too. */
  readonly heard: PeerMessage[] = [];
  private readonly cluster: ObservedCluster;
  private readonly seed: number;
  private readonly doors: WsTransport[] = [];
  private asking: Link | null = null;
  private dialling: { cancel(): void } | null = null;

  constructor(cluster: ObservedCluster) {
    this.cluster = cluster;
    this.seed = clusterSeed(cluster.clusterId);
  }

  /** Takes the places of all members at their addresses. */
  async listen(): Promise<void> {
    await Promise.all(this.cluster.members.map((member) => this.listenAs(member)));
  }

  async close(): Promise<void> {
    this.forget();
    await Promise.all(this.doors.map((door) => new Promise<void>((done) => door.close(done))));
  }

  /** Before the next node is observed. */
  forget(): void {
    this.dialling?.cancel();
    this.asking?.close('the observer turns away');
    [this.dialling, this.asking] = [null, null];
    this.heard.length = 0;
  }

  /** True when the node voted, acknowledged an entry, and then heard that it is committed. */
  get isMember(): boolean {
    const { heard } = this;
    const isVoter = heard.some((message) => message.type === 'voteResponse' && message.granted);
    return isVoter && heard.some(isAcknowledgement(ROUND.commit));
  }

  /** Says once more all that makes a whole member vote and acknowledge. For use in a poll. */
  ask(address: string, end: LogEnd): void {
    const asker = this.cluster.members.at(-1);
    if (asker === undefined) throw new Error('a cluster has members');
    if (this.asking !== null) return this.say(this.asking, end);
    if (this.dialling !== null) return;
    const [door] = this.doors;
    this.dialling =
      door?.dial(address, 'peer', (result) => {
        this.dialling = null;
        if (typeof result !== 'object') return;
        this.asking = result;
        result.onFrame = (frame) => this.hear(frame);
        result.onClose = () => (this.asking = null);
        result.send(encodePeer(this.helloAs(asker), this.seed));
      }) ?? null;
  }

  private say(link: Link, end: LogEnd): void {
    const term = end.term + TERM_STEP;
    const lastIndex = end.index + TERM_STEP;
    const last = { lastIndex, lastTerm: term };
    const questions: RaftMessage[] = [
      { type: 'preVoteRequest', term, nextTerm: term + 1, poll: 1, ...last },
      { type: 'voteRequest', term, transfer: false, ...last },
    ];
    const isReady = this.heard.some(isVoteOrBlank);
    const entry = noopAfter(end, term);
    const append = { prevIndex: end.index, prevTerm: end.term, entries: [entry] };
    if (this.heard.some(isAcknowledgement(ROUND.append))) {
      questions.push({ type: 'append', term, ...append, commit: entry.index, round: ROUND.commit });
    } else if (isReady) {
      questions.push({ type: 'append', term, ...append, commit: end.index, round: ROUND.append });
    }
    for (const question of questions) link.send(encodePeer(question, this.seed));
  }

  private async listenAs(member: Member): Promise<void> {
    const listen = { door: createOwnDoor(createServer(), member.address), allowedOrigins: [] };
    const door = createWsTransport({ listen });
    this.doors.push(door);
    await new Promise<void>((resolve, reject) => {
      door.listen(
        (link) => {
          link.onFrame = (frame) => {
            const message = this.hear(frame);
            if (message.type !== 'peerHello') return;
            link.send(encodePeer(this.helloAs(member), this.seed));
          };
        },
        (error) => (error === null ? resolve() : reject(error)),
      );
    });
  }

  private hear(frame: Uint8Array): PeerMessage {
    const message = decodePeer(frame, this.seed);
    this.heard.push(message);
    return message;
  }

  private helloAs(member: Member): PeerHello {
    const { clusterId, heartbeatMs, electionMs } = this.cluster;
    return {
      type: 'peerHello',
      versionMin: PEER_PROTOCOL.min,
      versionMax: PEER_PROTOCOL.max,
      clusterId,
      nodeId: member.nodeId,
      storeId: member.storeId,
      bootId: `observer as ${member.nodeId}`,
      bootCount: 1_000,
      connectionEpoch: 1,
      heartbeatMs,
      electionMs,
      commandSet: 1,
    };
  }
}

// A blank node gives no vote, but answers what a leader sends.
function isVoteOrBlank(message: PeerMessage): boolean {
  const isBlank = message.type === 'peerHello' && message.clusterId === null;
  return isBlank || message.type === 'voteResponse';
}

function isAcknowledgement(round: number): (message: PeerMessage) => boolean {
  return (message) => message.type === 'appendResponse' && message.ok && message.round === round;
}

function noopAfter(end: LogEnd, term: number): Entry {
  return {
    index: end.index + 1,
    term,
    prevTerm: end.term,
    type: 'noop',
    payload: new Uint8Array(),
    config: null,
    record: null,
  };
}
