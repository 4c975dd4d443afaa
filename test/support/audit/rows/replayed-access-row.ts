import { readJsonPointer, valueAt } from '../../../../contract/crest/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { jmsConfigFor } from '../../brokers/jms-config.ts';
import { ask } from '../../clients/answers.ts';
import { startConfigured } from '../../gateways/configured-gateway.ts';

/** A row of kind `gateway-access`: a request through the gateway, and the messages of its events. */
export interface AccessRow {
  readonly id: string;
  readonly kind: 'gateway-access';
  readonly case: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: readonly string[];
    readonly body: string | null;
  };
  readonly status?: number;
  readonly messages?: readonly string[];
  readonly refused?: string;
  readonly got?: string;
}

/** What came of a request: its status and events without what is new each time, or `refused`. */
export type AccessOutcome = 'refused' | { readonly status: number | string; readonly events: readonly JsonValue[] };

const HEADERS = '/access/http/request/headers';
const COOKIES = '/access/http/request/cookies';

/** OpenIG records everything; here that takes policies that say so, and names one by one that may carry credentials. */
function everything({ messages = [] }: AccessRow): string[] {
  const maps = [HEADERS, COOKIES, '/access/http/request/queryParameters', '/access/http/response/headers'];
  const event = messages.length === 0 ? {} : eventIn(messages[0]!);
  const names = maps.flatMap((map) => {
    const found = valueAt({ access: event }, readJsonPointer(map));
    return isJsonObject(found) ? Object.keys(found).map((name) => `${map}/${encodeURIComponent(name)}`) : [];
  });
  return [...maps, ...names];
}

/** Configurations that rows name by their case only. */
const settings: Readonly<Record<string, (route: Route) => Route>> = {
  'filter: authorization excluded': (route) =>
    excluding(route, [`${HEADERS}/authorization`, '/access/http/response/headers']),
  'filter: Authorization excluded as sent': (route) => excluding(route, [`${HEADERS}/Authorization`]),
  'both event handlers: jms + jms2': (route) => ({ ...route, handlers: [...route.handlers, jms('jms2')] }),
  'reference to a name not in the heap': (route) => ({ ...route, reference: 'NoSuchService' }),
  'reference to heap object': (route) => ({ ...route, reference: 'Audit' }),
  'NoOpAuditService type': (route) => ({ ...route, type: 'NoOpAuditService' }),
  'expression in handler config': (route) => ({
    ...route,
    handlers: [jms('jms', { deliveryMode: "${'PERSISTENT'}" })],
  }),
  'bad handler class: route still loads?': (route) => ({ ...route, handlers: [{ class: 'no.such.Handler' }] }),
  'unknown member in service config': (route) => ({ ...route, config: { bogus: 1 } }),
  "failover url, broker up (not the consumer's broker)": (route) => ({
    ...route,
    handlers: [jms('jms', {}, 'failover:(tcp://127.0.0.1:1)')],
  }),
  'failover url, broker gone: client answer': (route) => ({
    ...route,
    handlers: [jms('jms', {}, 'failover:(tcp://127.0.0.1:1)')],
  }),
};

interface Route {
  readonly handlers: readonly JsonObject[];
  readonly config: JsonObject;
  readonly includeIf: readonly string[];
  readonly type: string;
  /** Name of the service in the heap; inline where there is none. */
  readonly reference?: string;
}

/** What OpenIG did. */
export function observedAccess({ refused, status, got, messages = [] }: AccessRow): AccessOutcome {
  if (refused !== undefined) return 'refused';
  return { status: status ?? got ?? '', events: messages.map((text) => compared(eventIn(text))) };
}

/** What the gateway does with the request of a row. Every handler would get every event. */
export async function replayedAccess(row: AccessRow): Promise<AccessOutcome> {
  const first: Route = { handlers: [jms('jms')], config: {}, includeIf: everything(row), type: 'AuditService' };
  const route = settings[row.case]?.(first) ?? first;
  const { method, path, headers, body } = row.request ?? { method: 'GET', path: '/t', headers: [], body: null };
  const isBadGateway = row.status === 502;
  let gateway: Awaited<ReturnType<typeof startConfigured>>;
  try {
    gateway = await startConfigured(
      {
        heap: [
          { name: '_router', type: 'Router' },
          { name: 'Audit', ...service(route) },
        ],
      },
      { routes: { t: document(route, isBadGateway ? unreachable : answering(row)) } },
    );
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('[')) return 'refused';
    throw error;
  }
  const length = body === null ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: gw.test', ...headers, ...length];
  const { status } = await ask(gateway.port, lines.map((line) => `${line}\r\n`).join(''), body ?? '');
  // a closed gateway has written the events of all its exchanges
  await gateway.close();
  const events = gateway.audited.json.map(({ json }) => compared(JSON.parse(json) as JsonObject));
  return { status, events: route.handlers.flatMap(() => events) };
}

function document(route: Route, handler: JsonObject): JsonObject {
  return {
    condition: "${matches(request.uri.path, '^/t')}",
    handler,
    ...(handler === unreachable ? { baseURI: 'http://127.0.0.1:1' } : {}),
    auditService: route.reference ?? service(route),
  };
}

function service({ type, config, includeIf, handlers }: Route): JsonObject {
  if (type !== 'AuditService') return { type };
  const { filterPolicies = {}, ...rest } = config as { filterPolicies?: { field?: JsonObject } };
  const field = { includeIf, ...filterPolicies.field };
  const inner = { eventName: 'OPENIG-HTTP-ACCESS', filterPolicies: { field }, ...rest };
  return { type, config: { config: inner, eventHandlers: handlers } };
}

function excluding(route: Route, excludeIf: readonly string[]): Route {
  return { ...route, config: { filterPolicies: { field: { excludeIf } } } };
}

function jms(name: string, more: JsonObject = {}, url = 'tcp://127.0.0.1:1'): JsonObject {
  const config = { name, topics: ['access'], ...jmsConfigFor(url, more) };
  return { class: 'org.forgerock.audit.handlers.jms.JmsAuditEventHandler', config };
}

const unreachable: JsonObject = { type: 'ReverseProxyHandler' };

/** A handler that answers with the status and the headers of a row; those that make up the content are the engine's. */
function answering({ status = 200, messages = [] }: AccessRow): JsonObject {
  const observed = messages.length === 0 ? undefined : valueAt(eventIn(messages[0]!), ['http', 'response', 'headers']);
  const { 'Content-Length': _, ...headers } = isJsonObject(observed) ? observed : {};
  return { type: 'StaticResponseHandler', config: { status, headers, entity: 'x' } };
}

/** The event in the envelope of a message. */
function eventIn(message: string): JsonObject {
  return (JSON.parse(message) as { readonly event: JsonObject }).event;
}

/** Members of events that OpenIG has and that are the same each time; names of headers in lower case. */
function compared({ eventName, http, response }: JsonObject): JsonValue {
  const { elapsedTime: _, detail: _detail, ...answer } = response as JsonObject;
  return { eventName: eventName!, http: lowerNames(http!), response: answer };
}

function lowerNames(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    name === 'headers' && isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).map(([header, values]) => [header.toLowerCase(), values]))
      : lowerNames(member),
  ]);
  return Object.fromEntries(members);
}
