import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../contract/document/lenient-parts.ts';
import type { DeclaredObject } from './declared-objects.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const COMMON = { name: { type: ['string', 'null'] }, type: text, route: { type: ['string', 'null'] } };

export const SECRET_STORE: EndpointDescription = {
  name: 'secret-store',
  title: 'Secret stores',
  description: 'Secret stores that documents declare, and the ids of their secrets. No secrets.',
  hasRevisions: false,
  schema: () => ({
    schema: { type: 'object', properties: { ...COMMON, secretIds: texts, file: text, directory: text, jwkUrl: text } },
  }),
};

export const AUDIT_SERVICE: EndpointDescription = {
  name: 'audit-service',
  title: 'Audit services',
  description: 'Audit services that documents declare, and their handlers. No credentials.',
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        ...COMMON,
        handlerForQueries: { type: ['string', 'null'] },
        eventHandlers: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: text, class: text, topics: texts, enabled: { type: 'boolean' } },
          },
        },
      },
    },
  }),
};

/** Fields of secret stores that hold no secrets. Others are left out, also those that are not known here. */
const STORE_FIELDS = ['file', 'directory', 'storeType', 'leaseExpiry'];

/** Returns a secret store as a resource, without secrets. */
export function shownStore(object: DeclaredObject): Resource & { readonly id: string } {
  return shown(object, storeContent(object.config));
}

/** Returns the fields of a secret store that hold no secrets. */
export function storeContent(config: JsonObject): JsonObject & { readonly secretIds: readonly string[] } {
  const secretIds = [...mappedIds(config['mappings']), ...Object.keys(objectOf(config['secrets']))];
  const plain = STORE_FIELDS.flatMap((name) => (typeof config[name] === 'string' ? [[name, config[name]]] : []));
  const url = urlOf(config['jwkUrl']);
  return { secretIds, ...Object.fromEntries(plain), ...(url === null ? {} : { jwkUrl: url }) };
}

/** Returns an audit service as a resource, without credentials. */
export function shownAuditService(object: DeclaredObject): Resource & { readonly id: string } {
  return shown(object, auditServiceContent(object.config));
}

/** Returns the fields of an audit service that hold no credentials. */
export function auditServiceContent(config: JsonObject): JsonObject {
  const settings = objectOf(config['config']);
  const handlers = listOf(config['eventHandlers'] ?? config['event-handlers']).filter(isJsonObject);
  const query = settings['handlerForQueries'];
  return {
    handlerForQueries: typeof query === 'string' ? query : null,
    eventHandlers: handlers.map((handler) => {
      const own = objectOf(handler['config']);
      return {
        class: textOf(handler['class']),
        name: textOf(own['name']),
        topics: listOf(own['topics']).filter((topic) => typeof topic === 'string'),
        enabled: own['enabled'] !== false,
      };
    }),
  };
}

function shown({ id, name, type, route }: DeclaredObject, content: JsonObject): Resource & { readonly id: string } {
  return { id, revision: null, content: { name, type, route, ...content } };
}

function mappedIds(mappings: JsonValue | undefined): string[] {
  return listOf(mappings).flatMap((one) => (isJsonObject(one) ? [textOf(one['secretId'])] : []));
}

/** A URL may have credentials in its user part and in its query. */
function urlOf(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}
