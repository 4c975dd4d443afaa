import type { CrestEndpoint } from '../provider.ts';
import type { DescribedSchema, EndpointDescription } from './description.ts';

/** An endpoint that can be described, below the path of an API. */
export interface DescribedEndpoint {
  /** Path such as `/api/routes`; empty for the endpoint that is asked. */
  readonly path: string;
  readonly description: EndpointDescription;
  readonly schema: DescribedSchema;
  readonly endpoint: Extract<CrestEndpoint, { readonly kind: 'collection' | 'singleton' }>;
}

/** An endpoint and its path. */
export interface MountedEndpoint {
  readonly path: string;
  readonly endpoint: CrestEndpoint;
}

const ANY_OBJECT: DescribedSchema = { schema: { type: 'object' } };

/** Returns the endpoints that have a description; of one with versions, the newest. */
export async function describedEndpoints(mounted: readonly MountedEndpoint[]): Promise<DescribedEndpoint[]> {
  const described: DescribedEndpoint[] = [];
  for (const { path, endpoint: given } of mounted) {
    const endpoint = newestOf(given);
    if (endpoint?.describes === undefined) continue;
    const schema = (await endpoint.describes.schema?.()) ?? ANY_OBJECT;
    described.push({ path, description: endpoint.describes, schema, endpoint });
  }
  return described;
}

function newestOf(endpoint: CrestEndpoint): DescribedEndpoint['endpoint'] | null {
  if (endpoint.kind !== 'versioned') return endpoint;
  const newest = endpoint.versions.toSorted((a, b) => b.major - a.major || b.minor - a.minor)[0];
  return newest === undefined ? null : newestOf(newest.endpoint);
}

const OPERATIONS = ['create', 'read', 'update', 'delete', 'patch', 'act', 'query'] as const;

/** Returns the operations that the provider of an endpoint has. */
export function operationsOf({ endpoint }: DescribedEndpoint): ReadonlySet<(typeof OPERATIONS)[number]> {
  const { provider } = endpoint;
  return new Set(
    OPERATIONS.filter((name) => name in provider && provider[name as keyof typeof provider] !== undefined),
  );
}
