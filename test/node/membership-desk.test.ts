import { describe, expect, test } from 'vitest';
import type { ClusterConfig, Member } from '../../src/raft/config.ts';
import type { RaftStatus } from '../../src/raft/events.ts';
import type { MembershipChange } from '../../src/raft/membership-change.ts';
import type { ConfigDecision, MembershipStep } from '../../src/node/membership-desk.ts';
import { MembershipDesk } from '../../src/node/membership-desk.ts';
import type { QueryResult } from '../../src/wire/client-messages.ts';

const member = (nodeId: string): Member => ({
  nodeId,
  storeId: `s-${nodeId}`,
  address: `${nodeId}:1`,
});

/** A leader's consensus that does what it is asked when the test says `commit`. */
class Consensus {
  config: ClusterConfig = {
    voters: ['n1', 'n2', 'n3'].map(member),
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  configIndex = 1;
  commitIndex = 1;
  nowUs = 0;
  isLeader = true;
  /** Of all peers. */
  state: 'probe' | 'snapshot' = 'probe';
  readonly caughtUp = new Set<string>();
  readonly changes: MembershipChange[] = [];
  readonly dialled: string[] = [];
  /** What the dialled node answers; a member unless set. */
  meets: string | null = null;
  refusal: ConfigDecision['refusal'] = null;
  readonly answers: QueryResult[] = [];
  readonly desk: MembershipDesk;

  constructor() {
    this.desk = new MembershipDesk({
      clock: { monoUs: () => this.nowUs },
      status: () => this.status(),
      view: () => ({
        configIndex: this.configIndex,
        isCommitted: true,
        isJoint: false,
        members: [],
        retired: this.config.retired,
      }),
      change: ({ change }, done) => {
        this.changes.push(change);
        if (this.refusal === null) this.append(change);
        done({ index: this.configIndex, refusal: this.refusal });
      },
      meet: ({ nodeId }, done) => {
        this.dialled.push(nodeId);
        done(this.meets ?? member(nodeId));
      },
    });
  }

  ask(step: MembershipStep): void {
    this.desk.handle(step, (result) => this.answers.push(result));
  }

  commit(): void {
    this.commitIndex = this.configIndex;
    this.desk.look();
  }

  private append(change: MembershipChange): void {
    const { config } = this;
    this.configIndex += 10;
    if (change.type === 'addLearner') {
      this.config = { ...config, learners: [...config.learners, change.member] };
      return;
    }
    const stays = ({ nodeId }: Member): boolean => !change.remove.includes(nodeId);
    const isPromoted = ({ nodeId }: Member): boolean => change.promote.includes(nodeId);
    this.config = {
      ...config,
      voters: [...config.voters.filter(stays), ...config.learners.filter(isPromoted)],
      learners: config.learners.filter((each) => stays(each) && !isPromoted(each)),
      retired: [...config.retired, ...change.remove],
    };
  }

  private status(): RaftStatus {
    return {
      role: this.isLeader ? 'leader' : 'follower',
      term: 3,
      leaderId: 'n1',
      isReady: this.isLeader,
      commitIndex: this.commitIndex,
      appliedIndex: this.commitIndex,
      lastIndex: this.configIndex,
      lastTerm: 3,
      durableIndex: this.commitIndex,
      config: this.config,
      configIndex: this.configIndex,
      previousConfig: null,
      isRemoved: false,
      transferTarget: null,
      anchor: { index: 0, term: 0 },
      peers: [...this.config.voters, ...this.config.learners].map(({ nodeId }) => ({
        nodeId,
        matchIndex: 0,
        state: this.state,
        isActive: true,
        isCaughtUp: this.caughtUp.has(nodeId),
      })),
    };
  }
}

const REPLACE: MembershipStep = {
  step: 'replace',
  nodeId: 'n3',
  by: { nodeId: 'n4', address: 'n4:1' },
  expectedIndex: null,
};

const LEARN = { type: 'addLearner', member: member('n4') };
const CHANGE_PLACES = { type: 'change', promote: ['n4'], remove: ['n3'] };

describe('changes of the membership', () => {
  test('R-64 a replacement adds a learner, waits for it, and changes places in one step', () => {
    const consensus = new Consensus();
    consensus.ask(REPLACE);
    expect(consensus.changes).toEqual([LEARN]);
    consensus.commit();
    expect(consensus.changes).toEqual([LEARN]);
    consensus.caughtUp.add('n4');
    consensus.desk.look();
    expect(consensus.changes).toEqual([LEARN, CHANGE_PLACES]);
    expect(consensus.answers).toEqual([]);
    consensus.commit();
    expect(consensus.answers).toMatchObject([{ kind: 'membership' }]);
  });

  test('R-64 asked again, a replacement goes on from where it stands, or is done', () => {
    const consensus = new Consensus();
    consensus.ask(REPLACE);
    consensus.commit();
    consensus.isLeader = false;
    consensus.desk.end();
    expect(consensus.answers).toMatchObject([{ kind: 'refused', code: 'NOT_LEADER' }]);
    consensus.isLeader = true;
    consensus.caughtUp.add('n4');
    consensus.ask(REPLACE);
    consensus.commit();
    consensus.ask(REPLACE);
    expect(consensus.changes).toEqual([LEARN, CHANGE_PLACES]);
    expect(consensus.dialled).toEqual(['n4']);
    expect(consensus.answers.slice(1)).toMatchObject([
      { kind: 'membership' },
      { kind: 'membership' },
    ]);
  });

  test('R-73 an address with nobody behind it changes nothing', () => {
    const consensus = new Consensus();
    consensus.meets = 'nobody listens at n4:1: start the node first';
    consensus.ask(REPLACE);
    expect(consensus.changes).toEqual([]);
    expect(consensus.answers).toMatchObject([
      { kind: 'refused', code: 'INVALID', message: consensus.meets },
    ]);
  });

  test('R-73 a new member that makes no progress is taken out again, and the caller told', () => {
    const consensus = new Consensus();
    consensus.ask(REPLACE);
    consensus.commit();
    consensus.nowUs += 30_000_001;
    consensus.desk.look();
    expect(consensus.changes).toEqual([LEARN, { type: 'change', promote: [], remove: ['n4'] }]);
    expect(consensus.answers).toEqual([]);
    consensus.commit();
    expect(consensus.answers).toMatchObject([{ kind: 'refused', code: 'NOT_CAUGHT_UP' }]);
    expect(consensus.config.voters.map(({ nodeId }) => nodeId)).toEqual(['n1', 'n2', 'n3']);
  });

  test('R-64 a voter is not added again, and replaces nobody: that would shrink the cluster', () => {
    const consensus = new Consensus();
    const again = { nodeId: 'n2', address: 'n2:1', isVoter: true, expectedIndex: null };
    consensus.ask({ step: 'addMember', ...again });
    expect(consensus.answers).toMatchObject([{ kind: 'membership' }]);
    consensus.ask({ ...REPLACE, by: { nodeId: 'n2', address: 'n2:1' } });
    consensus.ask({ ...REPLACE, by: { nodeId: 'n3', address: 'n9:1' } });
    expect(consensus.answers.slice(1)).toMatchObject([
      { kind: 'refused', code: 'INVALID', message: expect.stringContaining('remove n3') },
      { kind: 'refused', code: 'INVALID', message: expect.stringContaining('new id') },
    ]);
    expect(consensus.changes).toEqual([]);
  });

  test('R-64 who has left is not replaced any more: the new one is added', () => {
    const consensus = new Consensus();
    consensus.ask({ step: 'removeMember', nodeId: 'n3', expectedIndex: null });
    consensus.commit();
    consensus.ask(REPLACE);
    expect(consensus.answers[1]).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('add n4'),
    });
  });

  test('R-73 the address of another member is named as such, and nobody dials it', () => {
    const consensus = new Consensus();
    consensus.ask({ ...REPLACE, by: { nodeId: 'n4', address: 'n2:1' } });
    expect(consensus.answers).toMatchObject([
      { kind: 'refused', message: expect.stringContaining('member n2') },
    ]);
    expect(consensus.dialled).toEqual([]);
  });

  test('R-73 a new member that refuses the state again and again is given up as well', () => {
    const consensus = new Consensus();
    consensus.ask(REPLACE);
    consensus.commit();
    for (let transfer = 0; transfer <= 10; transfer++) {
      consensus.state = 'snapshot';
      consensus.desk.look();
      consensus.state = 'probe';
      consensus.desk.look();
    }
    consensus.commit();
    expect(consensus.changes.at(-1)).toEqual({ type: 'change', promote: [], remove: ['n4'] });
    expect(consensus.answers).toMatchObject([{ kind: 'refused', code: 'NOT_CAUGHT_UP' }]);
  });

  test('R-64 a learner is replaced by a learner: the voters stay who they are', () => {
    const consensus = new Consensus();
    consensus.config = { ...consensus.config, learners: [member('n9')] };
    consensus.caughtUp.add('n4');
    consensus.ask({ ...REPLACE, nodeId: 'n9' });
    consensus.commit();
    expect(consensus.changes.at(-1)).toEqual({ type: 'change', promote: [], remove: ['n9'] });
  });

  test('R-66 one change at a time; the same one asked twice is one', () => {
    const consensus = new Consensus();
    consensus.ask(REPLACE);
    consensus.ask({ step: 'removeMember', nodeId: 'n2', expectedIndex: null });
    const change = 'n3 is replaced by n4 at n4:1';
    expect(consensus.answers).toEqual([
      {
        kind: 'refused',
        code: 'CHANGE_PENDING',
        message: `another change is under way since index 1: ${change}; ask again when it is done`,
        pending: { change, sinceIndex: 1 },
      },
    ]);
    consensus.ask(REPLACE);
    consensus.caughtUp.add('n4');
    consensus.commit();
    consensus.commit();
    expect(consensus.answers.slice(1)).toMatchObject([
      { kind: 'membership' },
      { kind: 'membership' },
    ]);
    expect(consensus.changes).toHaveLength(2);
  });

  test('J7 R-72 a name that left is never given again', () => {
    const consensus = new Consensus();
    consensus.ask({ step: 'removeMember', nodeId: 'n3', expectedIndex: null });
    consensus.commit();
    const again = { nodeId: 'n3', address: 'n3:1', isVoter: true, expectedIndex: null };
    consensus.ask({ step: 'addMember', ...again });
    expect(consensus.answers[1]).toMatchObject({ kind: 'refused', code: 'INVALID' });
    expect(consensus.changes).toHaveLength(1);
  });

  test('R-69 a leader that takes itself out answers although its office ends with the commit', () => {
    const consensus = new Consensus();
    consensus.ask({ step: 'removeMember', nodeId: 'n1', expectedIndex: null });
    consensus.commitIndex = consensus.configIndex;
    consensus.isLeader = false;
    consensus.desk.end();
    expect(consensus.answers).toMatchObject([{ kind: 'membership' }]);
  });

  test('R-66 the refusal of consensus reaches the caller with a code of its own', () => {
    const consensus = new Consensus();
    consensus.refusal = { code: 'CONFLICT', message: 'the configuration is that of entry 7' };
    consensus.ask({ step: 'removeMember', nodeId: 'n2', expectedIndex: 5 });
    expect(consensus.answers).toMatchObject([
      { kind: 'refused', code: 'MEMBERS_CHANGED', message: consensus.refusal.message },
    ]);
  });
});
