import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readResource } from '../../../contract/resources/read-resource.ts';
import type { Resource, ResourceKind } from '../../../contract/resources/resource.ts';

/**
 * Makes a resource of what an API server has. The spec is the same object as before while the generation is the same:
 * a status that is written does not make the compiler judge anything again.
 */
export function resourceOfObject(kind: ResourceKind, raw: JsonObject, before: Resource | null): Resource | null {
  const { resource } = readResource(raw, { kind });
  if (resource === null || before === null) return resource;
  const { spec, labels, specSince = before.resourceVersion } = before;
  return {
    ...resource,
    ...(before.generation === resource.generation && { spec, specSince }),
    ...(isDeepStrictEqual(labels, resource.labels) && { labels }),
  };
}
