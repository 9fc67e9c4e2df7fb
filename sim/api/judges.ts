// Who judges a user's run: everything that judges drawn runs at each event, fed with whatever the
// user's own programs are granted.

import type { NodeId, SessionId, Token } from '../../src/base/units.ts';
import { SessionGrant } from '../../src/client/grant.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import { decodeBody } from '../../src/wire/command.ts';
import type { SimCluster } from '../cluster.ts';
import type { TransportTap } from '../cluster-client.ts';
import { Beliefs } from '../oracle/belief.ts';
import type { Hold } from '../oracle/belief.ts';
import { ClientHistory } from '../oracle/history.ts';
import { TappedTransport } from '../oracle/history-tap.ts';
import { judgeHistory } from '../oracle/history-check.ts';
import { LockDelays } from '../oracle/lock-delays.ts';
import type { Verdict } from '../oracle/verdict.ts';
import type { Life } from '../world/process.ts';
import type { Conversations } from './conversations.ts';

/** What is held by one client now, for what looks at all of them. */
export interface HeldNow {
  readonly by: string;
  readonly names: readonly string[];
  readonly token: Token;
}

/** Looks at nodes from before there is a cluster. */
export class NodeEyes {
  beliefs: Beliefs | null = null;
  /** Is told of each node that is elected. */
  onElected: (id: NodeId) => void = () => {};

  /** For each life of this node. */
  watch(id: NodeId): HostWatch {
    return {
      started: () => {},
      stepped: (event, effects) => {
        this.beliefs?.stepped(event, effects);
        const isElected = effects.some((each) => each.type === 'role' && each.role === 'leader');
        if (isElected) this.onElected(id);
      },
      applied: (entry, command) => this.beliefs?.applied(entry, command),
      installed: () => {},
    };
  }
}

/** What judges are appointed for. */
export interface JudgedRun {
  readonly cluster: SimCluster;
  readonly eyes: NodeEyes;
  readonly conversations: Conversations;
  readonly seed: number;
  /** Whether all clocks keep to what leases allow for. */
  readonly isBound: boolean;
  /** Somebody was granted something, in its own eyes. */
  readonly onHold: (hold: Hold) => void;
  /** The session of this client is over, and with it what it held. */
  readonly onSessionOver: (client: string, cause: 'closed' | 'expired' | 'ended') => void;
}

/** See the head of this file. */
export class Judges {
  readonly history: ClientHistory;
  private readonly run: JudgedRun;
  private readonly beliefs: Beliefs;
  private readonly verdict: Verdict;
  private holds: Hold[] = [];
  // One for each session that was granted anything.
  private readonly owners = new Map<SessionId, string>();

  constructor(run: JudgedRun) {
    const { cluster, eyes, isBound, onHold } = run;
    const { verdict, oracle, world } = cluster;
    this.run = run;
    this.verdict = verdict;
    this.beliefs = new Beliefs({ verdict, isBound, onBegin: onHold });
    this.history = new ClientHistory(
      () => world.nowUs,
      (id: NodeId) => oracle.keptFrom(id),
    );
    eyes.beliefs = this.beliefs;
    oracle.follow(this.beliefs);
    oracle.follow(new LockDelays({ verdict, isBound }));
    oracle.follow({
      onSessionEnded: ({ session, cause }) => {
        const owner = this.owners.get(session);
        this.owners.delete(session);
        if (owner !== undefined) run.onSessionOver(owner, cause);
      },
    });
  }

  /** Listens to what a process of this name asks and is told; an operator's acts are excused. */
  tap(name: string): TransportTap {
    return (transport) =>
      new TappedTransport(transport, () => {
        const ear = this.history.listen(name);
        const talk = this.run.conversations.of(name);
        return {
          sent: (message) => {
            this.excuse(message);
            talk.sent(message);
            ear.sent(message);
          },
          heard: (message) => {
            talk.heard(message);
            ear.heard(message);
          },
        };
      });
  }

  /** A client in this life was granted something. */
  onGrant(client: string, life: Life, grant: Grant): void {
    if (!(grant instanceof SessionGrant) || grant.sessionId === null) return;
    this.prune();
    const hold = { client, life, session: grant.sessionId, grant };
    this.holds.push(hold);
    this.owners.set(hold.session, client);
    this.beliefs.begin(hold);
  }

  /** What is held now, in the eyes of its holders. */
  held(): readonly HeldNow[] {
    this.prune();
    return this.holds.map(({ client, grant }) => {
      return { by: client, names: grant.names, token: grant.token };
    });
  }

  /** At the end of a run that kept every promise so far. */
  judge(): void {
    const { cluster, seed } = this.run;
    const { oracle } = cluster;
    const { verdict } = this;
    oracle.lookAtAll();
    const { log } = oracle;
    if (verdict.violation !== null) return;
    judgeHistory({ history: this.history, log, past: [], verdict, noise: seed });
  }

  private excuse(message: ClientMessage): void {
    if (message.type !== 'command') return;
    const body = decodeBody(message.body);
    if (body.op === 'break') this.beliefs.waiveGrant(body.name, body.token);
    if (body.op === 'endSession') this.beliefs.waiveSession(body.session);
  }

  /** Whoever believes no more never will again. */
  private prune(): void {
    const over = this.holds.filter(({ life, grant }) => !life.isAlive || !grant.isBelievedNow());
    if (over.length === 0) return;
    for (const hold of over) this.beliefs.end(hold);
    this.holds = this.holds.filter((hold) => !over.includes(hold));
  }
}
