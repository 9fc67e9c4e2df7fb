import type { ErrorCode } from '../base/error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link } from '../ports/transport.ts';
import type { SelfView } from './client-link.ts';
import { NodeFrame } from '../wire/node-frame.ts';
import { ClientLink } from './client-link.ts';
import type { Host } from './host-types.ts';

/** Links that said nothing yet: a client says hello at once. */
const SILENT_LINKS_MAX = 1_024;

/** Whom the clients are connected with, and how much each may leave undecided. */
export interface ClientDoorOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly self: () => SelfView;
  readonly limits: { readonly commandsMax: number; readonly bytesMax: number };
}

/**
 * All connections of clients; their number is limited by the transport. The oldest of those that
 * say nothing make room, so that strangers who only connect do not lock the clients out.
 */
export class ClientDoor {
  private readonly options: ClientDoorOptions;
  private readonly frame = new NodeFrame();
  private readonly links = new Set<ClientLink>();
  /** Those without hello, oldest first. */
  private readonly silent = new Set<ClientLink>();

  constructor(options: ClientDoorOptions) {
    this.options = options;
  }

  accepted(link: Link): void {
    const { host, clock, self, limits } = this.options;
    const [oldest] = this.silent;
    if (oldest !== undefined && this.silent.size >= SILENT_LINKS_MAX) {
      oldest.close('OVERLOADED', 'too many links without hello');
    }
    const clientLink = new ClientLink({
      link,
      host,
      clock,
      frame: this.frame,
      self,
      limits,
      onGreeted: () => this.silent.delete(clientLink),
      onClosed: () => {
        this.links.delete(clientLink);
        this.silent.delete(clientLink);
      },
    });
    this.links.add(clientLink);
    this.silent.add(clientLink);
  }

  /** Tells every client who leads now. */
  tellLeader(): void {
    for (const link of this.links) link.tellLeader();
  }

  /** Tells every client where the nodes are now. */
  tellMembers(): void {
    for (const link of this.links) link.tellMembers();
  }

  close(code: ErrorCode, message: string): void {
    for (const link of [...this.links]) link.close(code, message);
  }
}
