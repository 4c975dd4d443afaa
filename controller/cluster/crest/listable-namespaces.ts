import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { ResourceQuery } from '../../../contract/crest/resource-query.ts';
import { type ResourceKind, resourcePlurals } from '../../../contract/resources/resource.ts';
import type { Caller, CallerReview } from './caller-review.ts';
import { namedNamespaces } from './named-namespaces.ts';

/** Reviews of namespaces for one request. */
const MOST_NAMESPACES = 200;

/** A question about the rights to list resources of a kind. */
export interface ListQuestion {
  readonly review: Pick<CallerReview, 'may'>;
  readonly caller: Caller;
  readonly kind: ResourceKind;
}

/** Returns the namespaces of a query in which the caller may list; null for all. @throws CrestError 403 for none */
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
  throw new CrestError(403, `${caller.name} may not list ${what} in any of the namespaces that the query is about`);
}

/** Returns those of some namespaces in which the caller may list. */
export async function listableOf(
  { review, caller, kind }: ListQuestion,
  namespaces: readonly string[],
): Promise<ReadonlySet<string>> {
  const verdicts = await Promise.all(
    namespaces.map((namespace) => review.may(caller, { kind, verb: 'list', namespace })),
  );
  return new Set(namespaces.filter((_, at) => verdicts[at]));
}
