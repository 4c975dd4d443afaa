import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { DescribedSchema, EndpointDescription } from '../../contract/crest/describe/description.ts';
import { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { LiveInstance } from '../../controller/live-instance.ts';
import { apiTree } from '../../controller/manage/api-tree.ts';
import { declaredObjects } from '../../controller/manage/declared-objects.ts';
import type { ExplainRequest } from '../../controller/manage/explained-request.ts';
import { readOnlyCollection } from '../../controller/manage/read-only-collection.ts';
import { AUDIT_SERVICE, SECRET_STORE, shownAuditService, shownStore } from '../../controller/manage/shown-objects.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { auditEndpoint } from '../../dataplane/supervisor/audit-endpoint.ts';
import type { PlaneInside } from '../../dataplane/supervisor/plane-options.ts';
import type { CrestTree } from '../../platform/admin/crest-path.ts';
import { type ExplainSetting, explainRequest } from './explain-request.ts';
import { serverInfo } from './server-info.ts';
import { transformByScript } from './transform-by-script.ts';

export interface ManagedApiOptions extends ExplainSetting {
  readonly instance: LiveInstance;
  readonly mode: AdminSettings['mode'];
  readonly log: Logger;
}

/** System property by which callers are trusted with their transaction ids, as in OpenIG. */
const TRUST = 'org.forgerock.http.TrustTransactionHeader';

/** Makes the endpoints of Common REST of an instance. The documents of objects are shown where routes are. */
export function managedApi(options: ManagedApiOptions): (inside: PlaneInside) => CrestTree {
  const { instance, mode, reach, log } = options;
  return ({ audits, status }) => {
    const cookies = new PageCookies(randomBytes(32));
    const managesRoutes = mode !== 'PRODUCTION';
    const declared = (kind: string) => () => declaredObjects(instance.compilation.snapshot, typesOf(kind));
    const stores = declared('secretStore');
    const services = declared('auditService');
    return apiTree({
      instance,
      managesRoutes,
      info: serverInfo(),
      explain: explainAction(options),
      patching: { transform: transformByScript(reach, log) },
      routeSchema: routeSchema(),
      trustsTransactions: reach.system[TRUST] === 'true',
      changed: (change) => log.info({ ...change }, 'route changed over HTTP'),
      audit: (topic) => auditEndpoint(audits, topic, cookies),
      others: {
        planes: readOnlyCollection(PLANE, () => [planeOf(instance, status())], cookies),
        ...(managesRoutes && {
          'secret-stores': readOnlyCollection(SECRET_STORE, () => stores().map(shownStore), cookies),
          'audit-services': readOnlyCollection(AUDIT_SERVICE, () => services().map(shownAuditService), cookies),
        }),
      },
    });
  };
}

/** The one data plane of an instance. */
function planeOf(instance: LiveInstance, status: object): Resource & { readonly id: string } {
  const { compilation, revision } = instance;
  const wanted = compilation.snapshot?.revision ?? null;
  const problems = instance.unbuiltRoutes.map(({ router, id }) => ({ router, route: id }));
  return { id: hostname(), revision, content: { revision, isCurrent: revision === wanted, problems, ...status } };
}

const PLANE: EndpointDescription = {
  name: 'plane',
  title: 'Data planes',
  description: 'Data planes, the revision of the configuration that each runs, and the routes that it cannot build.',
  hasRevisions: true,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        revision: { type: ['string', 'null'] },
        isCurrent: { type: 'boolean' },
        problems: { type: 'array', items: { type: 'object' } },
      },
    },
  }),
};

function typesOf(kind: string): ReadonlySet<string> {
  return new Set(catalogue.definitions.filter((one) => one.kind === kind).map(({ type }) => type));
}

/** Returns the explanation of requests as a resource of Common REST shows it. */
export function explainAction(setting: ExplainSetting): ExplainRequest {
  return async (snapshot, request, terms) => {
    const { refusal, routers } = await explainRequest(snapshot, setting, request, terms);
    const last = routers.at(-1);
    const another = last?.anotherRoute === true ? { anotherRoute: true } : {};
    return { route: last?.route ?? null, ...another, refusal, routers };
  };
}

/** Returns the schema of a route document, which is made once: it takes a while, and few ask. */
export function routeSchema(): () => Promise<DescribedSchema> {
  let schema: Promise<DescribedSchema> | null = null;
  return () => {
    schema ??= madeSchema();
    return schema;
  };
}

async function madeSchema(): Promise<DescribedSchema> {
  const { documentSchema } = await import('../output/document-schema.ts');
  const { $defs, ...schema } = documentSchema('route') as JsonObject;
  return { schema, definitions: $defs as Readonly<Record<string, JsonObject>> };
}
