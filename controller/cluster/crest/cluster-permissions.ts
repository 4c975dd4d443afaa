import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { Resource } from '../../../contract/crest/resource.ts';
import { ALL_ROUTES, type RouteAction, type ShownPermissions } from '../../../contract/shown/shown-permissions.ts';
import { PERMISSIONS, permissionsOf, WRITING } from '../../manage/permissions.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { Caller, CallerReview, ResourceAccess } from './caller-review.ts';
import { listableNamespaces } from './listable-namespaces.ts';
import type { ResourceItems } from './resource-items.ts';
import { isNamespace, readRouteId } from './route-place.ts';

export interface ClusterPermissionsParts {
  readonly source: Pick<ClusterSource, 'resources' | 'isFollowed' | 'chosenNamespaces'>;
  readonly items: ResourceItems;
  readonly review: Pick<CallerReview, 'may'>;
  cookies(): PageCookies;
}

type Verb = ResourceAccess['verb'];

/** Rights that an operation needs, as the API server and the controller ask for them. */
const VERBS: Readonly<Record<RouteAction, readonly Verb[]>> = {
  read: ['get'],
  query: ['list'],
  create: ['create'],
  update: ['get', 'update'],
  patch: ['get', 'patch'],
  delete: ['get', 'delete'],
  validate: ['update'],
  explain: ['list'],
  dryRun: ['list', 'explain'],
};

/** Operations of one Route that need another right than those of all Routes. */
const OF_ONE: Partial<typeof VERBS> = { explain: ['get'], dryRun: ['get', 'explain'] };
/** Operations of no certain Route: one that is known by its name cannot restrict them. */
const OF_MANY: readonly RouteAction[] = ['query', 'create'];
const ASKED: readonly Verb[] = ['get', 'list', 'create', 'update', 'patch', 'delete', 'explain'];
/** Namespaces of one query: each costs a review for each verb. */
const MOST_NAMESPACES = 40;

/** What a permission is about; a namespace of null stands for all. */
interface Subject {
  readonly namespace: string | null;
  readonly name: string | null;
}

/** Rights of a caller on Routes: in all namespaces, in one, or on one Route. Anybody may ask about their own. */
export function clusterPermissions(parts: ClusterPermissionsParts, caller: Caller): CollectionProvider {
  const { review, source, items } = parts;

  async function resource({ namespace, name }: Subject): Promise<Resource & { readonly id: string }> {
    const allowed = await allowedVerbs(review, caller, { namespace, name });
    const where = namespace === null ? 'all namespaces' : `the namespace '${namespace}'`;
    const id = namespace === null ? ALL_ROUTES : name === null ? namespace : `${namespace}.${name}`;
    const route = name === null ? null : id;
    const isServed = namespace === null || source.isFollowed(namespace);
    const content: ShownPermissions = {
      ...{ caller: caller.name, namespace, route },
      routes: permissionsOf((action) => {
        const needed = (name === null ? undefined : OF_ONE[action]) ?? VERBS[action];
        const missing = needed.find((verb) => !allowed.has(verb));
        const what = route === null || OF_MANY.includes(action) ? `Routes in ${where}` : `the Route '${route}'`;
        if (missing !== undefined) return `${caller.name} may not ${missing} ${what}`;
        const isChange = WRITING.includes(action) || action === 'validate';
        // Only callers who could change something learn which namespaces are watched.
        return isChange && !isServed ? `this gateway does not watch the namespace '${namespace}'` : null;
      }),
    };
    return { id, revision: null, content };
  }

  return {
    async read(id) {
      if (id === ALL_ROUTES) return resource({ namespace: null, name: null });
      if (id.includes('.')) return resource(readRouteId(id));
      if (!isNamespace(id)) {
        throw new CrestError(404, `there are permissions for '${ALL_ROUTES}', NAMESPACE and NAMESPACE.NAME`);
      }
      return resource({ namespace: id, name: null });
    },
    async query(query) {
      const existing = (): readonly string[] => items.namespaces(source.resources('Route'));
      const listable = await listableNamespaces({ review, caller, kind: 'Route', source }, query, existing);
      const namespaces = [...(listable ?? existing())].sort();
      if (namespaces.length > MOST_NAMESPACES && listable !== null) {
        throw badRequest(
          `the query is about more than ${MOST_NAMESPACES} namespaces, too many to review your rights in each of ` +
            'them: read one, as in /api/permissions/shop',
        );
      }
      const all = await Promise.all(namespaces.map((namespace) => resource({ namespace, name: null })));
      return queryResources(all, query, parts.cookies(), PERMISSIONS.name);
    },
  };
}

/** Returns the verbs that a caller may use. A right in all namespaces is one in each, so that fewer are asked about. */
async function allowedVerbs(
  review: Pick<CallerReview, 'may'>,
  caller: Caller,
  { namespace, name }: Subject,
): Promise<ReadonlySet<Verb>> {
  const verdicts = await Promise.all(
    ASKED.map(async (verb) => {
      if (await review.may(caller, { verb })) return true;
      if (namespace === null) return false;
      if (await review.may(caller, { verb, namespace })) return true;
      const hasName = name !== null && verb !== 'list' && verb !== 'create';
      return hasName && review.may(caller, { verb, namespace, name });
    }),
  );
  return new Set(ASKED.filter((_, at) => verdicts[at]));
}
