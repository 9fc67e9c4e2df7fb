// Rare states that a test suite must have seen to be worth anything. Production code marks them
// where they happen; a campaign counts the marks and names those that nothing reached. Outside a
// campaign a mark costs one comparison. Nothing ever reads a mark back into a decision.

/** Every rare state by its id, with one sentence; docs/probes.md is made from it. */
export const PROBES = {
  // Elections.
  'leader-deposed-with-tail': 'A leader steps down while entries of its own are uncommitted.',
  'leader-meets-higher-term': 'A leader hears of a higher term and steps down.',
  'leader-loses-quorum':
    'A leader steps down because no quorum has answered for an election time-out.',
  'leader-stalls': 'A leader notices that its process did not run for a while.',
  'nothing-admitted-after-stall':
    'A leader that stalled refuses a proposal until a round shows that it still leads.',
  'disk-hangs-under-leader': 'A leader gives up its office because a write hangs.',
  'goodbye-heard': 'A follower is told by its leader that it stops.',
  'fast-fail-over':
    'A follower knows that the process of its leader is gone, and does not wait for silence.',
  'sole-voter-elects-itself': 'The only voter of a cluster becomes its leader.',
  'candidate-hears-leader': 'A candidate hears of the leader that won its term.',
  'election-lost':
    'A candidate, or one that asks whether it could be elected, is refused by a quorum.',
  'election-without-winner': 'A candidate waits in vain and begins again.',
  'own-vote-durable-too-late': 'The own vote reaches the disk when the candidacy is over.',
  'pre-vote-asked-of-leader': 'A leader is asked for a pre-vote.',
  'pre-vote-refused-for-log': 'A pre-vote is refused because the log that asks is behind.',
  'pre-vote-granted-in-lower-term': 'A pre-vote is granted by a node that is in a lower term.',
  'vote-refused-by-stickiness':
    'A vote request of a higher term is ignored because a leader is still heard.',
  'vote-refused-for-another': 'A vote is refused because another candidate has it.',
  'vote-refused-for-log': 'A vote is refused because the log of the candidate is behind.',
  // Replication.
  'follower-truncates': 'A follower cuts entries that conflict with those of its leader.',
  'durable-entries-truncated': 'Entries are cut that were on disk.',
  'batch-in-flight-truncated': 'Entries are cut while they are on their way to the disk.',
  'held-acks-dropped-with-term':
    'Acknowledgements wait for the disk when their term ends, and are dropped.',
  'append-conflicts': 'An Append is rejected because another entry stands where it should join.',
  'append-shorter-than-log': 'An Append tells nothing new and ends before the log does.',
  'back-off-skips-entries': 'A rejection moves the leader back by more than one entry.',
  'rejection-comes-late': 'A rejection arrives for what was acknowledged in the meantime.',
  'commit-before-own-disk': 'A leader commits an entry that is not on its own disk yet.',
  'old-term-quorum-not-counted':
    'A quorum has an entry of an older term, and it is not committed by that.',
  'old-term-commits-with-own':
    'Entries of an older term are committed together with one of the own term.',
  'window-full': 'Entries wait because too many Appends to a follower are unanswered.',
  'lost-window-probed': 'An empty Append asks whether the ones before it were lost.',
  'entries-loaded-from-disk': 'Entries that somebody needs are in memory no more.',
  'uncommitted-limit-reached': 'A leader refuses a proposal because too much is uncommitted.',
  'connection-superseded': 'A connection of a peer takes the place of one that is still there.',
  'removed-node-at-the-door':
    'A node that was taken out of the cluster dials a member, and is told so.',
  'membership-change-begun-again':
    'A change of the membership is asked for that is half done, and goes on from there.',
  'learner-given-up': 'A new member does not keep up and is taken out again.',
  'change-outlives-its-leader':
    'A leader loses its office while an operator waits for a change of the membership.',
  'state-hashes-differ':
    'Two nodes have different states at the same entry: only a bug or hidden damage does that.',
  'blank-node-joins': 'A blank node takes over the checkpoint that its leader sent.',
  'backup-taken': 'A backup is taken while the cluster goes on.',
  'answer-to-unknown-member': 'A node answers one that its configuration does not name.',
  'blank-member-at-the-door': 'A member without a founded directory answers the dial of another.',
  'boot-superseded': 'A peer comes with a newer boot while the older one is known.',
  'peer-heard-after-long-silence': 'A peer that is dialled rarely by now dials itself.',
  'hello-of-older-boot': 'A hello arrives of a boot that is over.',
  // Checkpoints.
  'snapshot-needed':
    'A member needs entries that its leader has compacted, and is sent a checkpoint.',
  'ack-ends-transfer':
    'A member acknowledges what joins the log while a checkpoint is on its way to it.',
  'installed-below-anchor':
    'An installed checkpoint lies below the log of the leader already, and another one follows.',
  'transfer-fails': 'A transfer of a checkpoint is refused or given up, and tried again later.',
  'snapshot-not-needed': 'A checkpoint comes to a node that has committed all that it contains.',
  'append-below-anchor': 'An Append begins in the compacted part of the log.',
  'install-waits': 'A received checkpoint waits for a batch or an apply before it is put in force.',
  'append-while-installing': 'An Append is dropped because a received checkpoint is put in force.',
  'piece-while-installing': 'A piece of a checkpoint comes while another one is put in force.',
  'install-overtaken-by-commit':
    'A received checkpoint is discarded because commits reached it before it was put in force.',
  'install-keeps-suffix': 'A checkpoint is installed, and the entries behind it are kept.',
  'install-drops-log': 'A checkpoint is installed, and all entries of the log are dropped.',
  'applying-waits-for-checkpoint':
    'Entries wait to be applied because changes come faster than checkpoints reach the disk.',
  'transfer-pins-log':
    'Entries stay in the log because a checkpoint is on its way that ends before them.',
  'transfer-pins-too-much':
    'Entries are compacted that a transfer needs, because there are too many of them.',
  'transfer-waits-for-checkpoint':
    'A transfer waits for a checkpoint with a configuration that names its receiver.',
  'transfer-goes-back': 'Pieces of a checkpoint are sent again because nothing was said of them.',
  'transfer-begins-anew': 'The receiver of a checkpoint lost what came, and is sent all of it.',
  'transfer-skips-ahead': 'A transfer that began anew finds that its receiver has more already.',
  'transfer-aborted': 'A transfer is given up because its receiver fell silent.',
  'transfer-replaces-another': 'A piece of another transfer discards what came of the one before.',
  'snapshot-piece-out-of-order':
    'A piece of a checkpoint comes twice, or one before it is missing.',
  // Membership and transfers.
  'removed-leader-goes': 'A leader is no voter of what it committed, hands over and goes.',
  'removal-told-by-member': 'A node learns from a member that the cluster goes on without it.',
  'joint-left-by-successor': 'A leader ends a change of voters that a leader before it began.',
  'transfer-waits-for-log': 'Leadership is not handed over yet: the target lacks entries.',
  'transfer-not-taken': 'A transfer of leadership ends because the target does not take over.',
  'nothing-admitted-while-handing-over': 'A leader that hands over refuses a proposal.',
  'learner-called-to-campaign': 'A learner whose vote somebody needs, and cannot get, campaigns.',
  'asked-to-lead': 'A follower campaigns because its leader asks for it.',
  // Reads and leases.
  'read-joins-late': 'A read or renewal arrives while a round is out, and waits for the next one.',
  'reads-fail-by-step-down': 'Reads or renewals wait for a round when their leader steps down.',
  'renewal-held-until-ready': 'A renewal waits until a new leader is ready.',
  'renewal-held-for-expiry': 'A renewal waits for the fate of the expiry of its session.',
  'renewal-fails-by-step-down': 'A renewal is not confirmed because its leader steps down.',
  'session-gone-by-round': 'A round confirms that a session to be renewed is gone.',
  'expiry-forgotten-by-step-down': 'A leader steps down while an expiry of its own is undecided.',
  'expiry-not-admitted': 'An expiry that is due is not admitted, and tried again.',
  'wait-ends-at-leader': 'A leader ends a wait whose client did not.',
  'fate-of-appended-unknown': 'A leader steps down while clients wait for what it appended.',
  'watch-resumes': 'A watch goes on after a revision that its client has seen elsewhere.',
  'watch-begins-with-gap': 'A watch begins after events that nobody remembers.',
  // Locks and requests.
  'open-repeated': 'A session is opened again with the same nonce, and is the same.',
  'duplicate-answered-from-record':
    'A request that is over comes again and is answered from its record.',
  'duplicate-of-grant': 'An acquire comes again while its grant lives.',
  'duplicate-of-waiter': 'An acquire comes again while it waits.',
  'duplicate-below-acknowledged': 'A request comes again whose answer was acknowledged.',
  'cancel-before-its-acquire': 'A cancel is executed before the acquire that it is for.',
  'acquire-after-its-cancel':
    'An acquire comes after its cancel, and is refused by the record of it.',
  'cancel-returns-grant': 'A cancel finds its acquire granted, and returns the grant.',
  'withdraw-meets-grant': 'The end of a wait comes when the waiter was granted, and does nothing.',
  'release-of-nothing': 'A release finds no such grant: it was broken.',
  'release-meets-ended-session': 'A release arrives when its session is over.',
  'session-ends-held-and-waiting': 'A session ends that holds locks and waits for others.',
  'several-names-wait': 'A request for several locks waits in their queues.',
  'busy-behind-a-waiter':
    'A lock is refused although nobody holds it, because somebody waits for it.',
  'busy-for-lock-delay': 'A lock is refused because a lock-delay keeps it closed.',
  'lock-delay-broken': 'An operator ends a lock-delay before it is over.',
  'kind-of-name-refused':
    'A name is asked for as a lock while it is a semaphore, or as one of other size.',
  'restored-under-embargo': 'The state of a backup becomes that of a new cluster.',
  'embargo-refuses-who-does-not-wait':
    'An acquire that does not wait comes to a restored cluster that grants nothing yet.',
  'embargo-lifted-in-parts': 'One entry is not enough to test all who wait under an embargo.',
  'waiter-granted-by-lifting': 'A waiter is granted because an embargo is lifted.',
  'limits-change-under-sessions': 'The replicated limits change while sessions live.',
  'several-granted-at-once': 'One entry grants several waiting requests.',
  'answers-window-full': 'A session has too many answers that it did not acknowledge.',
  // Disks.
  'slots-of-two-versions': 'A crash came between the writes of the two slots of the hard state.',
  'damaged-slot-rewritten':
    'A slot of the hard state is damaged, and written anew from the other one.',
  'damaged-log-refused': 'A start is refused because the log is damaged.',
  'damaged-state-refused': 'A row of the stored state is damaged, and the node stops.',
  'scrub-finds-damage': 'A node finds damage on its disk while it runs, and stops.',
  'log-compacted': 'A checkpoint deletes entries from the disk that it contains.',
  'log-batch-passes-checkpoint':
    'A checkpoint waits for entries that are not on the own disk yet, and a log batch goes first.',
  'floor-lowered-for-install':
    'The durable floor is lowered because a checkpoint replaces the log that it lies in.',
  'generation-swept': 'Rows of a checkpoint that is not in force any more, or never was, are gone.',
  'marked-directory-refused': 'A start is refused because a write failed before.',
  'write-fails': 'A write fails, and the node stops.',
  'write-meets-full-disk': 'A write fails because the disk is full.',
  'refused-for-full-disk': 'A new session or lock is refused because the disk is nearly full.',
  // Clients.
  'hold-is-over': 'A holder has had its lock for maxHoldMs, and loses it.',
  'acquire-given-up-in-doubt': 'An acquire is given up that may have been executed.',
  'acquire-moves-to-new-session': 'A session is lost before an acquire was sent in it.',
  'grant-arrives-after-lease': 'A grant reaches its client when the lease is over.',
  'grant-found-gone': 'A client learns by asking that its grant is gone.',
  'waiter-asks-again': 'A client sends its waiting acquire again, in case that news were lost.',
  'quiet-watch-told-of-progress':
    'A watch of which nothing happens is told how far it is, lest it be forgotten.',
  'watch-has-gap': 'A client learns that events of its watch are no longer known.',
  'open-begun-anew': 'The opening of a session takes so long that it is begun with another nonce.',
  'open-answered-too-late': 'The opening of a session is answered when its lease would be over.',
  'lease-runs-out': 'A client ends its belief because nobody confirmed the lease.',
  'renewal-confirmed-too-late': 'A renewal is answered when the lease is over.',
  'renewal-withheld': 'A lease is not renewed because a holder has had its lock long enough.',
  'renewal-thread-ends': 'The thread that renews leases ends before its client.',
  'suspend-noticed': 'A client notices that its machine was suspended.',
  'node-falls-silent': 'A client gives up a link whose node owes an answer.',
  'link-without-member': 'A client gives up a link that leads to no member of the cluster.',
} as const satisfies Readonly<Record<string, string>>;

/** One of them. */
export type ProbeId = keyof typeof PROBES;

/** Where marks go. */
export type ProbeSink = (id: ProbeId) => void;

/** The one place that marks are sent to. */
class Probes {
  private sink: ProbeSink | null = null;

  /** This state has come about. */
  reach(id: ProbeId): void {
    this.sink?.(id);
  }

  /** The same, if it is so. */
  sometimes(id: ProbeId, isSo: boolean): void {
    if (isSo) this.sink?.(id);
  }

  /** Sends marks there until the function that it returns is called. Not nested. */
  collect(sink: ProbeSink): () => void {
    this.sink = sink;
    return () => {
      this.sink = null;
    };
  }
}

/** See the head of this file. */
export const probes = new Probes();
