import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { EndpointDescription } from '../../../contract/crest/describe/description.ts';
import type { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { Resource as CrestResource } from '../../../contract/crest/resource.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { type FieldPath, replaceSecrets } from '../../../contract/hiding/secret-fields.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { readOnlyCollection } from '../../manage/read-only-collection.ts';
import { ROUTE_VERSION } from '../../manage/route-versions.ts';
import { ApiError } from '../api/api-error.ts';
import type { ClusterSource } from '../cluster-source.ts';
import { type KeptVersion, versionOf, withVersions } from '../versions/route-history.ts';
import { type Caller, type CallerReview, unavailable } from './caller-review.ts';
import { readRouteId } from './route-place.ts';

export interface ClusterRouteVersionsParts {
  readonly source: Pick<ClusterSource, 'resource'>;
  readonly review: Pick<CallerReview, 'may'>;
  /** Returns the versions of a Route that are kept, the oldest first. @throws ApiError */
  versions(route: Resource): Promise<readonly KeptVersion[]>;
  cookies(): PageCookies;
}

/** Description of the versions of a Route of a cluster. */
export const CLUSTER_ROUTE_VERSION: EndpointDescription = {
  ...ROUTE_VERSION,
  description: 'The last versions of a Route, for callers who may get it. Read-only.',
};

/** Versions of a Route, for callers who may get it. The version that the cluster has now is always there. */
export function clusterRouteVersions(parts: ClusterRouteVersionsParts, caller: Caller, id: string): CrestEndpoint {
  const { source, review } = parts;
  async function shown(): Promise<readonly (CrestResource & { readonly id: string })[]> {
    const place = readRouteId(id);
    if (!(await review.may(caller, { verb: 'get', ...place }))) {
      throw new CrestError(403, `${caller.name} may not get the Route '${id}'`);
    }
    const route = source.resource('Route', place.namespace, place.name);
    if (route === null) throw new CrestError(404, `there is no Route '${id}'`);
    const kept = await parts.versions(route).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      throw unavailable(`the versions of the Route '${id}' cannot be read: ${error.message}`);
    });
    const now = route.excess === undefined ? [versionOf(route)] : [];
    return withVersions(kept, now, kept.length + 1).map((version) => itemOf(version, route));
  }
  return readOnlyCollection(CLUSTER_ROUTE_VERSION, shown, parts.cookies());
}

function itemOf({ generation, changed, document }: KeptVersion, route: Resource) {
  return {
    id: String(generation),
    revision: null,
    content: {
      number: generation,
      at: changed?.at ?? route.created,
      by: changed?.manager ?? null,
      operation: generation === 1 ? 'create' : 'update',
      transactionId: null,
      document: withSecretsOf(document, route.spec),
    },
  };
}

/** Puts the secrets that a Route has now to the places of those that were not kept. Its reader sees them there, too. */
function withSecretsOf(document: JsonObject, spec: JsonObject): JsonObject {
  let filled = document;
  replaceSecrets(spec, (value, path) => {
    filled = withValue(filled, path, value) as JsonObject;
    return value;
  });
  return filled;
}

/** Returns a value with null at a path replaced; the same value if there is no null. */
function withValue(value: JsonValue, [step, ...rest]: FieldPath, secret: string | number): JsonValue {
  if (step === undefined) return value === null ? secret : value;
  if (Array.isArray(value) && typeof step === 'number' && step < value.length) {
    return (value as readonly JsonValue[]).map((one, at) => (at === step ? withValue(one, rest, secret) : one));
  }
  if (!isJsonObject(value) || typeof step !== 'string' || !Object.hasOwn(value, step)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === step ? withValue(one, rest, secret) : one]),
  );
}
