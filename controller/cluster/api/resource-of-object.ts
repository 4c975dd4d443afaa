import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readResource } from '../../../contract/resources/read-resource.ts';
import type { Resource, ResourceKind } from '../../../contract/resources/resource.ts';
import { delivererOf, specChangeOf } from '../versions/spec-change.ts';

/**
 * Makes a resource of what an API server has. The spec is the same object as before while the generation is the same:
 * a status that is written does not make the compiler judge anything again.
 */
export function resourceOfObject(kind: ResourceKind, raw: JsonObject, before: Resource | null): Resource | null {
  const { resource: read } = readResource(raw, { kind });
  if (read === null) return null;
  const isSameSpec = before?.generation === read.generation;
  const resource = kind === 'Route' ? { ...read, ...managersOf(raw, isSameSpec ? before : null) } : read;
  if (before === null) return resource;
  const { spec, labels, specSince = before.resourceVersion } = before;
  return {
    ...resource,
    ...(isSameSpec && { spec, specSince }),
    ...(isDeepStrictEqual(labels, resource.labels) && { labels }),
  };
}

/** @param same the resource before, if its spec is the same */
function managersOf(raw: JsonObject, same: Resource | null): Pick<Resource, 'changed' | 'deliveredBy'> {
  const changed = same?.changed ?? specChangeOf(raw);
  const deliveredBy = delivererOf(raw);
  return { ...(changed !== null && { changed }), ...(deliveredBy !== null && { deliveredBy }) };
}
