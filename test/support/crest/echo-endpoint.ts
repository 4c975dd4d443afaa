import { versionText } from '../../../contract/crest/api-version.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { filterText } from '../../../contract/crest/filter-text.ts';
import { pointerText } from '../../../contract/crest/json-pointer.ts';
import type { CollectionProvider, CrestCall, CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { Resource } from '../../../contract/crest/resource.ts';
import type { ResourceQuery } from '../../../contract/crest/resource-query.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';

const FIXED: Readonly<Record<string, Resource>> = {
  nested: {
    id: 'nested',
    revision: '3',
    content: { a: { b: { c: 1, d: 2 }, x: [{ y: 1 }, { y: 2 }] }, b: 'top', n: null, 'with/slash': 1, 'with space': 2 },
  },
  media: {
    id: 'media',
    revision: '1',
    content: { text: 'héllo', pic: 'AQL6', num: 5, obj: { a: 1 }, nul: null, arr: [1, 2] },
  },
  nullid: { id: null, revision: null, content: { a: 1 } },
};

/** A provider that answers with the request as it was read, and fails as the id says. */
const provider: CollectionProvider = {
  create: async (id, content, call) => echoed(id ?? 'new', 'CREATE', call, { newResourceId: id, content }),
  read: async (id, call) => FIXED[id] ?? echoed(id, 'READ', call, { revision: null }),
  update: async (id, revision, content, call) => {
    demandRevision(id, revision);
    return echoed(id, 'UPDATE', call, { revision, content });
  },
  delete: async (id, revision, call) => {
    demandRevision(id, revision);
    return echoed(id, 'DELETE', call, { revision });
  },
  patch: async (id, revision, operations, call) => {
    demandRevision(id, revision);
    return echoed(id, 'PATCH', call, { revision, operations: operations as unknown as JsonValue });
  },
  act: async (id, action, content, call) => {
    if (action === 'text') return 'plain';
    if (action !== 'echo') throw new CrestError(501, `unknown action ${action}`);
    return { ...common('ACTION', call), id, action, content };
  },
  query: async (query, call) => {
    const queryId = 'queryId' in query.selector ? query.selector.queryId : null;
    if (queryId === 'failFirst') throw new CrestError(503, 'before the first');
    const page = {
      results: [echoed('q', 'QUERY', call, queryMembers(query))],
      countPolicy: 'NONE',
      total: -1,
    } as const;
    return queryId === 'remaining' ? { ...page, cookie: 'c', remaining: 17 } : { ...page, cookie: null };
  },
};

export const echoEndpoint: CrestEndpoint = { kind: 'collection', provider };

/** A singleton that can only be read and updated. */
export const singleEndpoint: CrestEndpoint = {
  kind: 'singleton',
  provider: {
    read: async (call) => ({ id: null, revision: null, content: common('READ', call) }),
    update: async (revision, content, call) => ({
      id: null,
      revision: null,
      content: { ...common('UPDATE', call), revision, content },
    }),
  },
};

/** A resource in the versions 1.0, 1.3 and 2.0, which says by which version it is served. */
export const versionedEndpoint: CrestEndpoint = {
  kind: 'versioned',
  versions: [
    { major: 1, minor: 0, endpoint: servedBy('1.0') },
    { major: 1, minor: 3, endpoint: servedBy('1.3') },
    { major: 2, minor: 0, endpoint: servedBy('2.0') },
  ],
};

function servedBy(served: string): CrestEndpoint {
  const read: CollectionProvider['read'] = async (id, { resourceVersion }) => {
    const asked = resourceVersion === null ? null : versionText(resourceVersion);
    return { id, revision: '1', content: { served, asked } };
  };
  return { kind: 'collection', provider: { read } };
}

function echoed(id: string, type: string, call: CrestCall, members: JsonObject): Resource {
  failAs(id);
  return { id, revision: '7', content: { ...common(type, call), ...members } };
}

function common(type: string, { fields, additional, resourceVersion }: CrestCall): JsonObject {
  return {
    type,
    resourcePath: '',
    fields: fields.map(pointerText),
    additionalParameters: additional,
    resourceVersion: resourceVersion === null ? null : versionText(resourceVersion),
  };
}

function queryMembers({ selector, sortKeys, pageSize, offset, cookie, countPolicy }: ResourceQuery): JsonObject {
  return {
    queryId: 'queryId' in selector ? selector.queryId : null,
    queryExpression: 'expression' in selector ? selector.expression : null,
    queryFilter: 'filter' in selector ? filterText(selector.filter) : null,
    sortKeys: sortKeys.map(({ field, isDescending }) => `${isDescending ? '-' : '+'}${pointerText(field)}`),
    pageSize,
    pagedResultsOffset: offset,
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: countPolicy,
  };
}

function demandRevision(id: string, revision: string | null): void {
  if (id === 'strict' && revision === null) throw new CrestError(428, 'version required');
}

/** `fail404m` fails with 404 and a message; d adds a detail, c a cause, r a reason of its own. */
function failAs(id: string): void {
  if (id === 'boom') throw new Error('a defect of the provider');
  const [, code, part] = /^fail(\d{3})([mdcr]?)$/.exec(id) ?? [];
  if (code === undefined) return;
  if (part === '') throw new CrestError(Number(code));
  if (part === 'c') throw new CrestError(Number(code), 'outer', { causeMessage: 'inner' });
  throw new CrestError(Number(code), `told <b>"why"</b> & 'how'`, {
    ...(part === 'd' ? { detail: { k: 'v', n: 1 } } : {}),
    ...(part === 'r' ? { reason: 'Own Reason' } : {}),
  });
}
