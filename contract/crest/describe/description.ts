import type { JsonObject } from '../../document/json-value.ts';

/** JSON Schema of draft 2020-12, with its definitions apart. */
export interface DescribedSchema {
  readonly schema: JsonObject;
  /** Schemas that `#/$defs/NAME` leads to. */
  readonly definitions?: Readonly<Record<string, JsonObject>>;
}

/** An action of an endpoint. */
export interface ActionDescription {
  readonly name: string;
  readonly description: string;
  /** A collection, its resources, or both. A singleton counts as a resource. */
  readonly of: readonly ('collection' | 'resource')[];
  /** Schema of the body; any JSON unless given. */
  readonly request?: JsonObject;
  readonly response?: JsonObject;
}

/** Facts about an endpoint that its descriptors tell beside the operations, which are those of its provider. */
export interface EndpointDescription {
  /** Name of a resource in the descriptors, such as `route`; equal names have equal schemas. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Returns the schema of a resource without `_id` and `_rev`; any object unless given. */
  readonly schema?: () => DescribedSchema | Promise<DescribedSchema>;
  readonly hasRevisions: boolean;
  readonly actions?: readonly ActionDescription[];
}

/** Facts about the server of an API. */
export interface ApiFacts {
  readonly title: string;
  readonly version: string;
  /** Callers present a bearer token. */
  readonly isBearer?: boolean;
}

/** Returns a schema with its references to definitions leading elsewhere. */
export function movedReferences<T extends JsonObject>(schema: T, place: string): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${place}`)) as T;
}
