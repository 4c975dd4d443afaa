import type { DescribedSchema, EndpointDescription } from '../../../contract/crest/describe/description.ts';
import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../contract/document/lenient-parts.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { AUDIT_SERVICE, auditServiceContent, SECRET_STORE, storeContent } from '../../manage/shown-objects.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const STATE: JsonObject = {
  namespace: text,
  name: text,
  generation: { type: 'integer', format: 'int64' },
  allowedNamespaces: texts,
  conditions: {
    type: 'array',
    description: 'Accepted and ResolvedRefs, as the status of the resource has them.',
    items: {
      type: 'object',
      required: ['type', 'status', 'reason', 'message'],
      properties: {
        ...{ type: text, status: text, reason: text, message: text, lastTransitionTime: text },
        observedGeneration: { type: 'integer', format: 'int64' },
      },
    },
  },
};

const SOURCES: JsonObject = {
  type: 'array',
  description: 'Kubernetes Secrets that provide the contents.',
  items: {
    type: 'object',
    properties: {
      name: text,
      items: { type: 'array', items: { type: 'object', properties: { key: text, file: text, secretId: text } } },
    },
  },
};

/** Description of SecretStores. */
export const CLUSTER_STORE = ofCluster(
  SECRET_STORE,
  'SecretStores of the cluster with their conditions and the ids of their secrets. No secrets. Read-only.',
  { secrets: SOURCES, leaseExpiry: text, storeType: text },
);

/** Description of AuditServices. */
export const CLUSTER_SERVICE = ofCluster(
  AUDIT_SERVICE,
  'AuditServices of the cluster with their conditions and handlers. No credentials. Read-only.',
  {},
);

/** Returns a SecretStore without secrets. */
export function shownSecretStore(resource: Resource): JsonObject {
  const { spec } = resource;
  const config = objectOf(spec['config']);
  const secrets = listOf(spec['secrets']).filter(isJsonObject).map(shownSource);
  const own = storeContent(config);
  const mapped = secrets.flatMap(({ items }) => items.flatMap(({ secretId }) => secretId ?? []));
  const secretIds = [...new Set([...own.secretIds, ...mapped])];
  return { ...stateOf(resource), type: textOf(spec['type']), ...own, secretIds, secrets };
}

/** Returns an AuditService without credentials. */
export function shownAuditResource(resource: Resource): JsonObject {
  return { ...stateOf(resource), type: 'AuditService', ...auditServiceContent(resource.spec) };
}

function ofCluster(description: EndpointDescription, about: string, more: JsonObject): EndpointDescription {
  return {
    ...description,
    description: about,
    hasRevisions: true,
    async schema(): Promise<DescribedSchema> {
      const { schema } = (await description.schema?.()) ?? { schema: {} };
      const { route: _, ...properties } = schema['properties'] as JsonObject;
      return { schema: { type: 'object', properties: { ...properties, ...STATE, ...more } } };
    },
  };
}

/** Fields that kinds have in common. Members that are not known here are left out. */
function stateOf({ namespace, name, generation, spec, status }: Resource): JsonObject {
  return {
    ...{ namespace, name, generation },
    allowedNamespaces: listOf(spec['allowedNamespaces']).filter((one) => typeof one === 'string'),
    conditions: listOf(objectOf(status)['conditions']).filter(isJsonObject),
  };
}

function shownSource(source: JsonObject) {
  const items = listOf(source['items']).filter(isJsonObject);
  return {
    name: textOf(source['name']),
    items: items.map(({ key, file, secretId }) => ({
      key: textOf(key),
      ...(typeof file === 'string' && { file }),
      ...(typeof secretId === 'string' && { secretId }),
    })),
  };
}
