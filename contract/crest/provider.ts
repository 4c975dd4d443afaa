import type { JsonObject, JsonValue } from '../document/json-value.ts';
import type { ApiVersion } from './api-version.ts';
import type { EndpointDescription } from './describe/description.ts';
import type { JsonPointer } from './json-pointer.ts';
import type { PatchOperation } from './patch-operation.ts';
import type { Resource } from './resource.ts';
import type { QueryPage, ResourceQuery } from './resource-query.ts';

/** Parts of a request that every operation of a provider may look at. */
export interface CrestCall {
  readonly fields: readonly JsonPointer[];
  /** Parameters that Common REST does not know. */
  readonly additional: Readonly<Record<string, string | null>>;
  /** Version of the resource that the request asks for. */
  readonly resourceVersion: ApiVersion | null;
  /** Tells calls that belong together, for logs. */
  readonly transactionId?: string | undefined;
}

/** A revision that the resource must have; null for any. */
export type ExpectedRevision = string | null;

/**
 * Operations on the resources of a collection. A missing operation is answered with 501. A provider reports a failure
 * as a CrestError and knows nothing of HTTP beyond its status.
 */
export interface CollectionProvider {
  /** Creates a resource under an id, or under one of its own for null. @throws CrestError 412 if it exists */
  create?(id: string | null, content: JsonObject, call: CrestCall): Promise<Resource>;
  read?(id: string, call: CrestCall): Promise<Resource>;
  update?(id: string, expected: ExpectedRevision, content: JsonObject, call: CrestCall): Promise<Resource>;
  /** Returns the resource as it was. */
  delete?(id: string, expected: ExpectedRevision, call: CrestCall): Promise<Resource>;
  patch?(
    id: string,
    expected: ExpectedRevision,
    operations: readonly PatchOperation[],
    call: CrestCall,
  ): Promise<Resource>;
  /** Runs an action of the collection (id null) or of a resource. @returns undefined for nothing to return */
  act?(id: string | null, action: string, body: JsonValue, call: CrestCall): Promise<JsonValue | undefined>;
  query?(query: ResourceQuery, call: CrestCall): Promise<QueryPage>;
}

/** Operations on a resource that is the only one of its path. */
export interface SingletonProvider {
  read?(call: CrestCall): Promise<Resource>;
  update?(expected: ExpectedRevision, content: JsonObject, call: CrestCall): Promise<Resource>;
  patch?(expected: ExpectedRevision, operations: readonly PatchOperation[], call: CrestCall): Promise<Resource>;
  act?(action: string, body: JsonValue, call: CrestCall): Promise<JsonValue | undefined>;
}

/** A path that Common REST answers. */
export type CrestEndpoint = (
  | { readonly kind: 'collection'; readonly provider: CollectionProvider }
  | { readonly kind: 'singleton'; readonly provider: SingletonProvider }
  | { readonly kind: 'versioned'; readonly versions: readonly EndpointVersion[] }
) & { /** Absent for an endpoint without descriptors. */ readonly describes?: EndpointDescription };

/** One version of an endpoint. */
export interface EndpointVersion extends ApiVersion {
  readonly endpoint: CrestEndpoint;
}
