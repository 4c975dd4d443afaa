import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { ForbiddenPlace } from '../../../contract/egress.ts';
import type { PlaneTrust, ResourceChanges, RouteEntry, SharedResource } from '../../../contract/snapshot.ts';
import type { AuditLink } from '../../../dataplane/audit/link/audit-link.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { OwnListeners } from '../../../dataplane/engine/wire/own-listeners.ts';
import type { TypeDefinition } from '../../../dataplane/heap/definition.ts';
import { loadNamedParts } from '../../../dataplane/heap/named-parts.ts';
import type { ServerTls } from '../../../dataplane/heap/objects/tls.ts';
import { TypeCatalogue } from '../../../dataplane/heap/type-catalogue.ts';
import { type BuildProblem, Configuration } from '../../../dataplane/routes/configuration.ts';
import { noFigures } from '../../../dataplane/routes/route-figures.ts';
import { HostCertificates } from '../../../dataplane/tls/hosts/host-certificates.ts';
import { ask } from '../clients/answers.ts';
import type { RawAnswer } from '../clients/raw-client.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { operatorReach } from './operator-reach.ts';

/** A route of a gateway with tenants: an operator's where no tenant is named. */
export interface TenantRoute extends Pick<RouteEntry, 'tenant' | 'files' | 'refuses' | 'resources'> {
  readonly document: JsonObject;
}

export interface TenantGatewayOptions {
  /** `config.json`; by default a router alone. */
  readonly base?: JsonObject;
  readonly trust?: Partial<PlaneTrust>;
  readonly forbidden?: readonly ForbiddenPlace[];
  readonly appPorts?: readonly number[];
  /** Shared resources from the start. */
  readonly resources?: readonly SharedResource[];
  /** Takes the events of audit services. */
  readonly auditLink?: AuditLink;
  /** Makes the TLS of the listener, which shows the certificates of hosts. */
  readonly tls?: (hosts: HostCertificates) => ServerTls;
  /** Types beside those of the catalogue. */
  readonly types?: readonly TypeDefinition[];
}

export interface TenantGateway extends TestGateway {
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  /** Everything that objects logged, as text. */
  readonly log: string[];
  readonly configuration: Configuration;
  /** Replaces routes; null takes one away. @returns what could not be built. */
  change(routes: Readonly<Record<string, TenantRoute | null>>, resources?: ResourceChanges): readonly BuildProblem[];
  /** Replaces `config.json`, and some of the trust. @returns what could not be built. */
  replaceBase(document: JsonObject, changed?: Partial<PlaneTrust>): readonly BuildProblem[];
  /** Sends a request head on a connection of its own. */
  send(head: string): Promise<RawAnswer>;
  /** Changes what controllers forbid. */
  forbid(changes: ResourceChanges): void;
  /** One request on a connection of its own. */
  get(path: string, host?: string): Promise<RawAnswer>;
}

/** The tenant of routes that say nothing else: it has every host. */
export const TENANT = 'shop';
const ONE_TENANT: PlaneTrust = { tenants: [{ name: TENANT, hosts: ['*'] }], egress: [], sharedObjects: [] };

/** The engine in front of routes of tenants and operators, for the rest of the test. */
export async function startTenants(
  routes: Readonly<Record<string, TenantRoute>>,
  options: TenantGatewayOptions = {},
): Promise<TenantGateway> {
  const log: string[] = [];
  const listeners = new OwnListeners();
  const hostCertificates = new HostCertificates();
  const configuration = new Configuration({
    catalogue: new TypeCatalogue([...catalogue.definitions, ...(options.types ?? [])], []),
    reach: operatorReach(),
    log: pino({ level: 'debug' }, { write: (line: string) => log.push(line) }),
    figures: () => noFigures,
    observe: () => {},
    mayReach: (address, port) => !listeners.has(address, port),
    forbidden: options.forbidden ?? [],
    appPorts: options.appPorts ?? [],
    hostCertificates,
    ...(options.auditLink && { auditLink: options.auditLink }),
  });
  const document = options.base ?? {};
  const trust = { ...ONE_TENANT, ...options.trust };
  const base = { document, trust, hash: canonicalJson(document) };
  const set = Object.entries(routes).map(([id, route]) => entryOf(id, route));
  await loadNamedParts(catalogue, [document, set]);
  const problems = configuration.apply({
    revision: '1',
    base,
    set,
    remove: [],
    defaultSlots: {},
    resources: { set: options.resources ?? [], remove: [] },
  });
  const gateway = await startGateway({
    handler: () => configuration.handle,
    ...(options.tls && { tls: options.tls(hostCertificates) }),
  });
  listeners.add({ address: '127.0.0.1', port: gateway.port });
  onTestFinished(async () => {
    await gateway.close();
    configuration.close();
  });
  return {
    ...gateway,
    problems,
    log,
    configuration,
    change(changes, resources) {
      const given = Object.entries(changes);
      return configuration.apply({
        revision: '2',
        base: null,
        set: given.flatMap(([id, route]) => (route === null ? [] : [entryOf(id, route)])),
        remove: given.flatMap(([id, route]) => (route === null ? [{ router: 'gateway._router', id }] : [])),
        defaultSlots: {},
        ...(resources && { resources }),
      });
    },
    replaceBase: (changed, more = {}) =>
      configuration.apply({
        revision: '3',
        base: { document: changed, trust: { ...trust, ...more }, hash: canonicalJson(changed) },
        set: [],
        remove: [],
        defaultSlots: {},
      }),
    send: (head) => ask(gateway.port, head),
    forbid(resources) {
      configuration.apply({ revision: '3', base: null, set: [], remove: [], defaultSlots: {}, resources });
    },
    get: (path, host = 'gw.test') =>
      ask(gateway.port, `GET ${path} HTTP/1.1\r\n${host === '' ? '' : `Host: ${host}\r\n`}`),
  };
}

function entryOf(id: string, { document, ...rest }: TenantRoute) {
  const name = typeof document['name'] === 'string' ? document['name'] : id;
  const hash = canonicalJson({ document, files: rest.files ?? {}, resources: rest.resources ?? {} });
  return { router: 'gateway._router', id, name, document, hash, slot: -1, ...rest };
}
