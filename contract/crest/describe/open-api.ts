import type { JsonObject, JsonValue } from '../../document/json-value.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';
import { type ApiFacts, movedReferences } from './description.ts';
import { definitionName, ERROR, PARAMETERS, pageSchema, pathItems, schemaName, schemaPlace } from './open-api-paths.ts';

/** Returns the descriptor of OpenAPI 3.1 for endpoints. @param server URL that the paths begin at */
export function openApi(endpoints: readonly DescribedEndpoint[], server: string, facts: ApiFacts): JsonObject {
  const schemas: Record<string, JsonValue> = { Error: ERROR };
  const paths: Record<string, JsonObject> = {};
  for (const one of endpoints) {
    const label = schemaName(one.description.name);
    if (!Object.hasOwn(schemas, label)) {
      const { schema, definitions = {} } = one.schema;
      const place = schemaPlace(definitionName(label, ''));
      for (const [key, definition] of Object.entries(definitions)) {
        schemas[definitionName(label, key)] = movedReferences(definition, place);
      }
      schemas[label] = withIds(movedReferences(withoutVersion(schema), place));
      schemas[`${label}Page`] = pageSchema(label);
    }
    for (const [path, item] of pathItems(one)) paths[path] = item;
  }
  const { title, version, isBearer = false } = facts;
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: [{ url: server }],
    ...(isBearer ? { security: [{ bearer: [] }] } : {}),
    tags: [...new Set(endpoints.map(({ description }) => description.title))].map((tag) => ({ name: tag })),
    paths,
    components: {
      schemas,
      parameters: PARAMETERS,
      ...(isBearer ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

/** A schema within a document must not name its version. */
function withoutVersion({ $schema, ...schema }: JsonObject): JsonObject {
  return schema;
}

function withIds(schema: JsonObject): JsonObject {
  const properties = {
    _id: { type: 'string', description: 'Identifier within the collection.' },
    _rev: { type: 'string', description: 'Revision, for If-Match and If-None-Match.' },
  };
  return { allOf: [{ type: 'object', properties }, schema] };
}
