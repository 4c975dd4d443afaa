import { badRequest, CrestError } from '../../contract/crest/crest-error.ts';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import { filterText } from '../../contract/crest/filter-text.ts';
import { pointerText } from '../../contract/crest/json-pointer.ts';
import type { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CrestCall, CrestEndpoint } from '../../contract/crest/provider.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { QueryPage, ResourceQuery } from '../../contract/crest/resource-query.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { AuditQuery } from '../audit/handlers/queries/audit-queries.ts';
import type { AuditAnswer, AuditRequest } from '../audit/writer/audit-request.ts';

/** Audit services of a data plane that can be asked. */
export interface AskedAudit {
  /** Names of the services. */
  readonly services: readonly string[];
  ask(service: string, realm: string, request: AuditRequest): Promise<AuditAnswer>;
}

const EVENT: EndpointDescription = {
  name: 'audit-event',
  title: 'Audit events',
  description:
    'Events of a topic, as the handler for queries of the audit service has them. With several services, the ' +
    'parameter `service` names one.',
  hasRevisions: false,
};

/** Returns the events of a topic as resources. A cookie is the place of an event, sealed for its query. */
export function auditEndpoint(audits: AskedAudit, topic: string, cookies: PageCookies): CrestEndpoint {
  async function asked(request: AuditRequest, call: CrestCall): Promise<Exclude<AuditAnswer, { kind: 'refused' }>> {
    const answer = await audits.ask(serviceOf(audits.services, call), '', request);
    if (answer.kind === 'refused') throw new CrestError(answer.status, answer.message);
    return answer;
  }

  return {
    kind: 'collection',
    describes: EVENT,
    provider: {
      async read(id, call) {
        const answer = await asked({ kind: 'read', topic, id }, call);
        const event = answer.kind === 'event' ? answer.event : null;
        if (event === null) throw new CrestError(404, `there is no event '${id}' of the topic '${topic}'`);
        return resourceOf(event);
      },
      async query(query, call) {
        const binding = bindingOf(topic, query, call);
        const answer = await asked({ kind: 'query', query: auditQuery(topic, query, cookies, binding) }, call);
        if (answer.kind !== 'page') throw new CrestError(500);
        const { results, next, last, total } = answer.page;
        if (query.countOnly) return { ...COUNTED, total, count: total };
        const isPaged = query.pageSize > 0 && next !== null;
        return {
          results: results.map(resourceOf),
          cookie: isPaged ? cookies.write(last ?? { ranks: [next], id: '' }, binding) : null,
          countPolicy: query.countPolicy === 'NONE' ? 'NONE' : 'EXACT',
          total,
        };
      },
    },
  };
}

const COUNTED: QueryPage = { results: [], cookie: null, countPolicy: 'EXACT', total: 0 };

function auditQuery(topic: string, query: ResourceQuery, cookies: PageCookies, binding: JsonValue): AuditQuery {
  const { selector, sortKeys, pageSize, cookie, countPolicy, countOnly } = query;
  if (!('filter' in selector)) throw new CrestError(501, 'only queries with _queryFilter are available');
  const hasCookie = cookie !== null && cookie !== '' && pageSize > 0;
  if (hasCookie && query.offset > 0) {
    throw badRequest('_pagedResultsCookie and _pagedResultsOffset cannot be used together');
  }
  const before = hasCookie ? cookies.read(cookie, binding) : null;
  // A place without an id is the number of the next event, of handlers that count.
  const offset = before?.id === '' ? Number(before.ranks[0]) : Math.max(0, query.offset);
  const after = before === null || before.id === '' || countOnly ? null : before;
  const size = countOnly ? 1 : Math.max(0, pageSize);
  return {
    ...{ topic, filter: selector.filter, sortKeys, pageSize: size, offset: countOnly ? 0 : offset, after },
    counts: countOnly || countPolicy !== 'NONE',
  };
}

function bindingOf(topic: string, { selector, sortKeys }: ResourceQuery, { additional }: CrestCall): JsonValue {
  const filter = 'filter' in selector ? filterText(selector.filter) : '';
  const order = sortKeys.map(({ field, isDescending }) => `${isDescending ? '-' : '+'}${pointerText(field)}`);
  return ['audit', additional['service'] ?? '', topic, filter, ...order];
}

function serviceOf(services: readonly string[], { additional }: CrestCall): string {
  const named = additional['service'] ?? null;
  if (named !== null) return named;
  const [only, ...others] = services;
  if (only === undefined) throw new CrestError(404, 'there is no audit service');
  if (others.length === 0) return only;
  throw badRequest(`the parameter 'service' must name one of the audit services: ${services.join(', ')}`);
}

function resourceOf(event: JsonObject): Resource & { readonly id: string } {
  const { _id, ...content } = event;
  return { id: typeof _id === 'string' ? _id : '', revision: null, content };
}
