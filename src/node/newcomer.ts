import type { LockMachine } from '../locks/machine-types.ts';
import type { Link } from '../ports/transport.ts';
import type { FoundingStep, QueryResult } from '../wire/client-messages.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import { Adoption } from './adoption.ts';
import { BlankDoor } from './blank-peers.ts';
import { Founding } from './founding.ts';
import type { Identity } from './handshake.ts';
import type { HostExit, HostPorts } from './host-types.ts';
import { RefusalLog } from './refusal-log.ts';
import type { NodeStorage, Recovered } from './storage/types.ts';

export interface NewcomerOptions {
  readonly self: Identity;
  readonly ports: HostPorts;
  readonly storage: NodeStorage;
  /** The cluster that the directory belongs to; null: it is blank. */
  readonly record: FoundingRecord | null;
  /** The directory is blank no more. `machine`: its state, if that was received; else null. */
  readonly onFounded: (recovered: Recovered, machine: LockMachine | null) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * The ways into a cluster: being founded, being added by a leader, being restored. Whichever comes
 * first counts; the others are refused from then on.
 */
export class Newcomer {
  private readonly founder: Founding;
  private readonly adoption: Adoption;
  private readonly door: BlankDoor;

  constructor(options: NewcomerOptions) {
    const { self, ports, storage, record, onFailed } = options;
    const { clock, logger, random } = ports;
    const { nodeId, storeId } = self;
    this.adoption = new Adoption({
      ...{ self, storage, clock, logger, onFailed },
      isFounding: () => this.founder.isFounding,
      onAdopted: (recovered, machine) => {
        if (recovered.founding !== null) this.founder.adopted(recovered.founding);
        this.becomeMember();
        options.onFounded(recovered, machine);
      },
    });
    this.founder = new Founding(
      {
        ...{ nodeId, storeId, clock, random },
        found: (founding, done) =>
          storage.found(founding, (result) => {
            done(result);
            if (!result.ok) onFailed(result.exit);
          }),
        onFounded: (recovered) => {
          this.becomeMember();
          options.onFounded(recovered, null);
        },
        restore: (piece, done) => this.adoption.restore(piece, done),
        isAdopting: () => this.adoption.isAdopting,
      },
      record,
    );
    const log = new RefusalLog(clock, logger);
    this.door = new BlankDoor({ self, log, onVisit: (visit) => this.adoption.visit(visit) });
  }

  /** The cluster that this node belongs to; null: none yet. */
  get founded(): FoundingRecord | null {
    return this.founder.founded;
  }

  /** Another node dialled this one while it is blank. */
  accepted(link: Link): void {
    this.door.accepted(link);
  }

  handle(step: FoundingStep, done: (result: QueryResult) => void): void {
    this.founder.handle(step, done);
  }

  private becomeMember(): void {
    this.adoption.stop();
    this.door.close('this node is a member now');
  }
}
