import type { Link } from '../ports/transport.ts';
import { PEER_PROTOCOL } from '../wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../wire/peer.ts';
import type { Identity } from './handshake.ts';
import type { RefusalLog } from './refusal-log.ts';

/**
 * The peer door of a node that belongs to no cluster: it answers a hello with its own, so that
 * the others learn its directory, and takes no part (RAFT.md §15.6: a blank node never campaigns
 * and grants no vote). Who knows it with another directory says so before the link ends.
 */
export function greetAsBlank(link: Link, self: Identity, log: RefusalLog): void {
  link.onFrame = (frame) => {
    try {
      const message = decodePeer(frame, 0);
      if (message.type === 'peerHello') {
        link.send(encodePeer(blankHello(self), 0));
        return;
      }
      if (message.type === 'peerRefusal') {
        log.error(`The cluster refuses this directory: ${message.message}`);
      }
      link.close('this node is not founded');
    } catch (error) {
      link.close(error instanceof Error ? error.message : 'garbage');
    }
  };
}

function blankHello(self: Identity) {
  return {
    type: 'peerHello' as const,
    versionMin: PEER_PROTOCOL.min,
    versionMax: PEER_PROTOCOL.max,
    clusterId: null,
    nodeId: self.nodeId,
    storeId: self.storeId,
    bootId: self.bootId,
    bootCount: self.bootCount,
    connectionEpoch: 1,
    heartbeatMs: self.heartbeatMs,
    electionMs: self.electionMs,
  };
}
