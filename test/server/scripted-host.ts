// A host that answers what its test says, when its test says: for the moments between a request
// and its answer that a real node passes too quickly to be caught in.

import type { Host, HostReply, WatchListener } from '../../src/node/host-types.ts';
import type { NodeStatus, SessionNews } from '../../src/wire/client-messages.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { blankStatus } from '../../src/node/status.ts';

export interface ScriptedHost extends Host {
  readonly executed: ((reply: HostReply) => void)[];
  readonly withdrawn: string[];
  /** Watches that are open now. */
  readonly watches: Set<WatchListener>;
  /** Leases that are held open now. */
  heldOpen: number;
  role: 'leader' | 'follower';
  /** What else it says of itself. */
  reported: Partial<NodeStatus>;
  tell(news: SessionNews): void;
  changeLeader(): void;
  /** Listeners of news and of leaders that are still there. */
  listeners(): number;
}

export function createScriptedHost(): ScriptedHost {
  const news = new Set<(news: SessionNews, revision: number) => void>();
  const leader = new Set<() => void>();
  const host: ScriptedHost = {
    executed: [],
    withdrawn: [],
    watches: new Set(),
    heldOpen: 0,
    role: 'leader',
    reported: {},
    tell: (item) => news.forEach((listener) => listener(item, 77)),
    changeLeader: () => leader.forEach((listener) => listener()),
    listeners: () => news.size + leader.size,
    onExit: () => {},
    start: (done) => setImmediate(done, null),
    stop: (done) => setImmediate(done),
    status: () => ({
      ...blankStatus(SETTINGS, null, 'starting'),
      role: host.role,
      ...host.reported,
    }),
    onLeaderChange(listener) {
      leader.add(listener);
      return () => leader.delete(listener);
    },
    execute: (_, done) => host.executed.push(done),
    keepAlive: (session, done) =>
      setImmediate(done, { session, nonce: 0, code: 'NOT_LEADER', ttlMs: null }),
    query: (_, done) => setImmediate(done, REFUSED),
    founding: (_, done) => setImmediate(done, REFUSED),
    admin: (_, done) => setImmediate(done, REFUSED),
    onMembersChange: () => () => {},
    withdraw: (session, seq) => host.withdrawn.push(`${session} ${seq}`),
    holdOpen() {
      host.heldOpen++;
      return () => host.heldOpen--;
    },
    watch(_target, _after, listener) {
      host.watches.add(listener);
      return () => host.watches.delete(listener);
    },
    follow(_, listener) {
      news.add(listener);
      return () => news.delete(listener);
    },
  };
  return host;
}

const REFUSED = {
  revision: 0,
  result: { kind: 'refused', code: 'NOT_LEADER', message: 'scripted' },
} as const;

const SETTINGS = {
  nodeId: 'n1',
  clusterName: 'scripted',
  nodes: [],
  heartbeatMs: 50,
  electionMs: 500,
  limits: DEFAULT_LIMITS,
  reserveBytes: 0,
  linkCommandsMax: 1,
  linkBytesMax: 1,
  pid: 1,
  version: 'scripted',
};
