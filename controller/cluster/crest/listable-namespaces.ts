import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { ResourceQuery } from '../../../contract/crest/resource-query.ts';
import { type ResourceKind, resourcePlurals } from '../../../contract/resources/resource.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { Caller, CallerReview } from './caller-review.ts';
import { namedNamespaces } from './named-namespaces.ts';

/** Reviews of namespaces for one request. */
export const MOST_NAMESPACES = 200;

/** A question about the rights to list resources of a kind. */
export interface ListQuestion {
  readonly review: Pick<CallerReview, 'may'>;
  readonly caller: Caller;
  readonly kind: ResourceKind;
  readonly source: Pick<ClusterSource, 'isFollowed' | 'chosenNamespaces'>;
}

/**
 * Returns the namespaces of a query in which the caller may list; null for all. Somebody whose namespaces have no such
 * resources yet gets none of them, and is not refused.
 *
 * @throws CrestError 403 for a caller who may list nowhere
 */
export async function listableNamespaces(
  question: ListQuestion,
  { selector }: ResourceQuery,
  existing: () => readonly string[],
): Promise<ReadonlySet<string> | null> {
  const { review, caller, kind } = question;
  if (await review.may(caller, { kind, verb: 'list' })) return null;
  const named = 'filter' in selector ? namedNamespaces(selector.filter) : null;
  const asked = named === null ? existing() : [...named];
  if (asked.length > MOST_NAMESPACES) {
    throw badRequest(
      `the query is about more than ${MOST_NAMESPACES} namespaces, too many to review your rights in each of them: ` +
        'limit it to some, as in _queryFilter=_id sw "shop."',
    );
  }
  const allowed = await listableOf(question, asked);
  if (allowed.size > 0) return allowed;
  const what = kind === 'Route' ? 'Routes' : resourcePlurals[kind];
  if (named !== null) {
    throw new CrestError(403, `${caller.name} may not list ${what} in any of the namespaces that the query names`);
  }
  const others = homes(question, asked).slice(0, MOST_NAMESPACES - asked.length);
  if ((await listableOf(question, others)).size > 0) return allowed;
  throw new CrestError(403, `${caller.name} may not list ${what} in any namespace that is known here`, {
    causeMessage: 'name the namespaces that you may list, as in _queryFilter=_id sw "shop."',
  });
}

/** Further namespaces that the caller may be at home in: their own one, and those that are watched by name. */
function homes({ caller, source }: ListQuestion, asked: readonly string[]): string[] {
  const own = /^system:serviceaccount:([^:]+):/.exec(caller.name)?.[1];
  const known = new Set([...(own !== undefined && source.isFollowed(own) ? [own] : []), ...source.chosenNamespaces]);
  return [...known.difference(new Set(asked))];
}

/** Returns those of some namespaces in which the caller may list. */
export async function listableOf(
  { review, caller, kind }: Omit<ListQuestion, 'source'>,
  namespaces: readonly string[],
): Promise<ReadonlySet<string>> {
  const verdicts = await Promise.all(
    namespaces.map((namespace) => review.may(caller, { kind, verb: 'list', namespace })),
  );
  return new Set(namespaces.filter((_, at) => verdicts[at]));
}
