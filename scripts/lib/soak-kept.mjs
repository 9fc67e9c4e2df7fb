// Locks that a client keeps for minutes, through whatever happens to the cluster. What was
// acknowledged must be listed in the end, with its token; what was given back must not.

const PLACES = 8;
const WAIT_MS = 60_000;

/** The kept locks of one client. */
export class KeptLocks {
  isOver = false;

  /** `onLost` is told in a sentence when a lease ends that nobody has ended. */
  constructor(prefix, onLost) {
    this.prefix = prefix;
    this.onLost = onLost;
    this.places = Array.from({ length: PLACES }, () => ({ state: 'free', grant: null }));
  }

  /** Takes a lock or gives one back; the new grant, or null. Rejects when that fails. */
  async change(client, below) {
    const at = below(PLACES);
    const place = this.places[at];
    if (place.state === 'busy') return null;
    const { grant } = place;
    // Until the answer is known it may be held or not.
    place.state = 'busy';
    try {
      if (grant === null) await this.take(client, at);
      else await this.giveBack(place);
    } catch (error) {
      place.state = 'unknown';
      throw error;
    }
    return place.grant;
  }

  async take(client, at) {
    const place = this.places[at];
    const grant = await client.lock(this.nameOf(at)).acquire({ waitMs: WAIT_MS });
    Object.assign(place, { state: 'held', grant });
    grant.signal.addEventListener('abort', () => {
      if (this.isOver || place.grant !== grant) return;
      Object.assign(place, { state: 'unknown', grant: null });
      this.onLost(`${grant.name} (token ${grant.token}) was lost: ${grant.signal.reason?.message}`);
    });
  }

  async giveBack(place) {
    const { grant } = place;
    place.grant = null;
    await grant.release();
    place.state = 'free';
  }

  nameOf(at) {
    return `${this.prefix}/${at}`;
  }

  /** [name, token] of what must be listed, and names of which nobody knows. */
  expected() {
    const held = [];
    const unknown = [];
    for (const [at, { state, grant }] of this.places.entries()) {
      if (state === 'held') held.push([this.nameOf(at), grant.token]);
      else if (state !== 'free') unknown.push(this.nameOf(at));
    }
    return { held, unknown };
  }
}
