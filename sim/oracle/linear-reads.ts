// What was read, or told unasked, against the state and the events of the entry that it names.

import { unreachable } from '../../src/base/assert.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import type { Query, QueryResult, SessionNews } from '../../src/wire/client-messages.ts';
import type { LinearModel } from './linear-model.ts';
import { isSameData } from './outcomes.ts';
import type { CommittedEntry } from './types.ts';

/** What is wrong with the answer to a question about this state; null if nothing is. */
export function readProblem(query: Query, result: QueryResult, model: LinearModel): string | null {
  switch (query.kind) {
    case 'status':
      return null;
    case 'inspect':
      if (result.kind !== 'lock') return strange(result);
      return lockProblem(result.lock, model);
    case 'session':
      if (result.kind !== 'session') return strange(result);
      return difference(result.session, model.sessionView(query.session));
    case 'grant':
      if (result.kind !== 'grant') return strange(result);
      return difference(result.token, model.tokenOf(query.session, query.acquireSeq) ?? 0);
    case 'list': {
      if (result.kind !== 'locks') return strange(result);
      const names = result.locks.map((lock) => lock.name);
      const all = model.names(query.prefix, query.after);
      const problem = pageProblem({ page: names, all, ...query, hasMore: result.hasMore });
      return problem ?? firstProblem(result.locks, (lock) => lockProblem(lock, model));
    }
    case 'sessions': {
      if (result.kind !== 'sessions') return strange(result);
      const all = model.sessionsAfter(query.after);
      return pageProblem({ page: result.sessions, all, ...query, hasMore: result.hasMore });
    }
    case 'holdings':
      return result.kind === 'holdings' ? holdingsProblem(query, result, model) : strange(result);
    // Who takes part is no matter of sessions and locks.
    case 'membership':
      return result.kind === 'membership' ? null : strange(result);
    // Those in force show in what is refused.
    case 'limits':
      return result.kind === 'limits' ? null : strange(result);
    default:
      return unreachable(query);
  }
}

/** Why the news do not follow from the entry that they name; null if they do. */
export function newsProblem(news: SessionNews, { events }: CommittedEntry): string | null {
  const isTrue = events.some((event) => {
    if (event.session !== news.session) return false;
    switch (news.kind) {
      case 'granted':
        return (
          event.type === 'granted' &&
          event.acquireSeq === news.acquireSeq &&
          event.token === news.token &&
          isSameData(event.slots, news.slots)
        );
      case 'over':
        return (
          (event.type === 'left' || event.type === 'freed') &&
          event.acquireSeq === news.acquireSeq &&
          event.cause === news.cause &&
          (event.type === 'freed' ? event.token : 0) === news.token
        );
      case 'ended':
        return event.type === 'sessionEnded' && event.cause === news.cause;
      default:
        return unreachable(news);
    }
  });
  return isTrue ? null : `${JSON.stringify(news)}, which did not happen there`;
}

/** Some of a list: how many, the node decides; what and in which order, it does not. */
function pageProblem(answer: {
  readonly page: readonly unknown[];
  readonly all: readonly unknown[];
  readonly limit: number;
  readonly hasMore: boolean;
}): string | null {
  const { page, all, limit, hasMore } = answer;
  if (page.length > limit) return `${page.length} rows instead of at most ${limit}`;
  if (hasMore !== page.length < all.length) return `hasMore is ${hasMore}`;
  return difference(page, all.slice(0, page.length));
}

function holdingsProblem(
  query: Extract<Query, { readonly kind: 'holdings' }>,
  { holdings }: Extract<QueryResult, { readonly kind: 'holdings' }>,
  model: LinearModel,
): string | null {
  const all = model.holdingsAfter(query.session, query.after);
  if (holdings === null || all === null) return difference(holdings, all);
  const { holdings: page, hasMore, nextSeq } = holdings;
  const lastSeq = model.lastSeq(query.session);
  if (nextSeq <= lastSeq) return `nextSeq is ${nextSeq}, and ${lastSeq} was used`;
  return pageProblem({ page, all, limit: query.limit, hasMore });
}

/** Of its holders, ghosts and waiters a lock shows the first ones, as many as the node likes. */
function lockProblem(shown: LockView, model: LinearModel): string | null {
  const lock = model.lockView(shown.name);
  return difference(shown, {
    ...lock,
    holders: firstOf(lock.holders, shown.holders),
    ghosts: firstOf(lock.ghosts, shown.ghosts),
    waiters: firstOf(lock.waiters, shown.waiters),
  });
}

/** At least one, if there is one. */
function firstOf<T>(all: readonly T[], shown: readonly T[]): readonly T[] {
  return all.slice(0, Math.max(1, shown.length));
}

function firstProblem<T>(
  items: readonly T[],
  problemOf: (item: T) => string | null,
): string | null {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== null) return problem;
  }
  return null;
}

function difference(got: unknown, expected: unknown): string | null {
  if (isSameData(got, expected)) return null;
  return `${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`;
}

function strange({ kind }: QueryResult): string {
  return `the answer is of kind ${kind}`;
}
