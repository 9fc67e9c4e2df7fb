// What the locks protect: a store in memory that every holder enters with its token. It sees what
// no client can see alone: two holders at a time, and tokens that do not grow.

/** Everything that is protected, by name; a semaphore protects one thing for each slot. */
export class FencedStore {
  written = 0;
  /** Of writes with a smaller token than one that was seen. */
  refused = 0;

  /** `onViolation` is told in a sentence. */
  constructor(onViolation) {
    this.onViolation = onViolation;
    this.things = new Map();
  }

  /**
   * The holder of a grant {names, token, mode, held()} comes in; `slots` are of its only name.
   * Returns what `leave` takes.
   */
  enter(grant) {
    const keys =
      grant.slots.length > 0
        ? grant.slots.map((slot) => `${grant.name}#${slot}`)
        : [...grant.names];
    const visit = { grant, keys };
    for (const key of keys) {
      const thing = this.thing(key);
      this.checkAlone(key, thing, grant);
      thing.visits.add(visit);
      this.access(key, grant);
    }
    return visit;
  }

  /** The holder goes, before it gives the lock back. */
  leave(visit) {
    for (const key of visit.keys) this.thing(key).visits.delete(visit);
  }

  /** A write by somebody who does not ask whether it still holds the lock; whether it was taken. */
  write(key, token) {
    const thing = this.thing(key);
    const isTaken = token >= thing.token;
    if (isTaken) this.written += 1;
    else this.refused += 1;
    thing.token = Math.max(thing.token, token);
    return isTaken;
  }

  /** Whoever believes in its grant must be let in. */
  access(key, grant) {
    const thing = this.thing(key);
    const before = thing.token;
    const isNewer = grant.token > before;
    if (isNewer && grant.mode === 'exclusive') thing.token = grant.token;
    if (isNewer) this.written += 1;
    else this.refused += 1;
    if (!isNewer && grant.held()) {
      this.onViolation(`${key}: a holder came with token ${grant.token} after ${before}`);
    }
  }

  checkAlone(key, { visits }, grant) {
    for (const { grant: other } of visits) {
      if (other.mode === 'shared' && grant.mode === 'shared') continue;
      if (!other.held() || !grant.held()) continue;
      this.onViolation(`${key}: held with token ${other.token} and with ${grant.token} at a time`);
    }
  }

  thing(key) {
    let thing = this.things.get(key);
    if (thing === undefined) this.things.set(key, (thing = { token: 0, visits: new Set() }));
    return thing;
  }
}
