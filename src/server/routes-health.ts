// For load balancers, supervisors and people: is this node alive, useful, leading?

import type { Hono } from 'hono';
import { HoldfastError } from '../base/error.ts';
import { notFoundedText } from '../node/host-exits.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import type { HttpEnv, Routing } from './routing.ts';
import { problemResponse } from './problem.ts';
import { statusJson } from './views.ts';

/** /livez, /readyz, /leaderz, /v1/status. None needs a quorum. */
export function healthRoutes(app: Hono<HttpEnv>, { host }: Routing): void {
  app.get('/livez', (context) => context.json({ status: 'alive' }));

  app.get('/readyz', (context) => {
    const problem = readinessProblem(host.status());
    return problem === null ? context.json({ status: 'ready' }) : problemResponse(problem);
  });

  app.get('/leaderz', (context) => {
    const { role, isReady, nodeId } = host.status();
    if (role === 'leader' && isReady) return context.json({ status: 'leader', id: nodeId });
    const text = `${nodeId} does not lead; it is ${role}`;
    return problemResponse(new HoldfastError('NOT_LEADER', text));
  });

  app.get('/v1/status', (context) => context.json(statusJson(host.status())));
}

function readinessProblem(status: NodeStatus): HoldfastError | null {
  switch (status.role) {
    case 'blank':
      return new HoldfastError('NOT_FOUNDED', notFoundedText(status.nodeId));
    case 'starting':
      return new HoldfastError('UNAVAILABLE', 'the node is starting');
    case 'stopped':
      return new HoldfastError('UNAVAILABLE', 'the node is stopping');
    default:
      return status.isReady ? null : new HoldfastError('UNAVAILABLE', unreadyText(status));
  }
}

function unreadyText({ role, leaderId, stuckMs }: NodeStatus): string {
  if (role !== 'leader' && leaderId === null) return 'the node knows of no leader';
  if (stuckMs > 0) return `the node has applied nothing of what is committed for ${stuckMs} ms`;
  return 'the node leads but has not applied its log yet';
}
