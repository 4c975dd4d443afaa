import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { AnsweringFilter } from '../../contract/shown/explanation.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { runtimeText } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { metadataPlace } from '../../dataplane/oauth2/metadata-place.ts';
import { ClientEndpoint, serviceAt } from '../../dataplane/openid/client/client-endpoint.ts';

type DeclaredFilter = { readonly type: string; readonly name: string | null; readonly config: JsonObject };

/** Returns the filter of a document that answers a request in place of the application; null for none. */
export function answeringFilter(document: JsonObject, exchange: Exchange, reading: Reading): AnsweringFilter | null {
  for (const { type, name, config } of objectsIn(document)) {
    const field = answeringField(type, config, exchange, reading);
    if (field !== null) return { type, name, field };
  }
  return null;
}

/** Returns true if an object of a document claims the place of a request, whatever the condition of its route says. */
export function claimsPlace(document: JsonObject, { request: { uri } }: Exchange): boolean {
  return objectsIn(document).some(({ type, config }) => {
    const place = type === 'OAuth2ResourceServerFilter' ? placeOf(config['resourceMetadata']) : null;
    return place !== null && place.host === uri.receivedHost && place.path === uri.rawPath;
  });
}

function answeringField(
  type: string,
  config: JsonObject,
  exchange: Exchange,
  reading: Reading,
): AnsweringFilter['field'] | null {
  const { uri } = exchange.request;
  if (type === 'AuthorizationCodeOAuth2ClientFilter' || type === 'OAuth2ClientFilter') {
    const path = parseConfig(runtimeText(), config['clientEndpoint'] ?? '', reading, []).value;
    const place = path === undefined ? null : new ClientEndpoint(path, null).at(exchange);
    return place !== null && serviceAt(uri, place) !== null ? 'clientEndpoint' : null;
  }
  if (type === 'CrossDomainSingleSignOnFilter') {
    return pathOf(config['redirectEndpoint']) === uri.rawPath ? 'redirectEndpoint' : null;
  }
  const place = type === 'OAuth2ResourceServerFilter' ? placeOf(config['resourceMetadata']) : null;
  return place?.host === uri.receivedHost && place.path === uri.rawPath ? 'resourceMetadata' : null;
}

function placeOf(metadata: JsonValue | undefined): ReturnType<typeof metadataPlace> | null {
  const resource = isJsonObject(metadata) ? metadata['resource'] : null;
  return typeof resource === 'string' && URL.canParse(resource) ? metadataPlace(resource) : null;
}

function pathOf(endpoint: JsonValue | undefined): string | null {
  if (typeof endpoint !== 'string') return null;
  if (endpoint.startsWith('/')) return endpoint;
  return URL.canParse(endpoint) ? new URL(endpoint).pathname : null;
}

/** Objects that a document declares, in its heap or in place. Those of routers inside have documents of their own. */
function objectsIn(value: JsonValue): DeclaredFilter[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(objectsIn);
  if (!isJsonObject(value)) return [];
  const { type, name, config } = value;
  const own =
    typeof type === 'string' && isJsonObject(config)
      ? [{ type, name: typeof name === 'string' ? name : null, config }]
      : [];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}
