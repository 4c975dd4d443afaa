import { pino } from 'pino';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Reach } from '../../../contract/reach.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { OwnListeners } from '../../../dataplane/engine/wire/own-listeners.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { loadNamedParts } from '../../../dataplane/heap/named-parts.ts';
import { Gauges } from '../../../dataplane/metrics/gauges.ts';
import { checkRoute } from '../../../dataplane/routes/check-document.ts';
import { Configuration } from '../../../dataplane/routes/configuration.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { noFigures } from '../../../dataplane/routes/route-figures.ts';
import { AuditedEvents } from '../audit/audited-events.ts';
import { asForwardProxy, withForwardProxies } from './forward-proxy.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { operatorReach } from './operator-reach.ts';

export interface ConfiguredGateway extends TestGateway {
  readonly url: string;
  readonly configuration: Configuration;
  /** Log lines that objects wrote, parsed. */
  readonly logged: Record<string, unknown>[];
  /** What objects observed: metric, labels, seconds. */
  readonly observed: { metric: string; labels: Readonly<Record<string, string>>; seconds: number }[];
  /** What objects counted, in order. */
  readonly counted: { metric: string; labels: Readonly<Record<string, string>> }[];
  /** What objects show. */
  readonly gauges: Gauges;
  /** Audit events that services wrote. */
  readonly audited: AuditedEvents;
}

export interface ConfiguredOptions
  extends Pick<TestGatewayOptions, 'limits' | 'trustedProxies' | 'webSockets' | 'tls'> {
  /** Routes of the router `_router`, by id. */
  readonly routes?: Readonly<Record<string, JsonObject>>;
  readonly reach?: Reach;
  /** Whether bodies pass as they come where no object says; by default they do. */
  readonly streaming?: boolean;
}

/** The engine in front of one document, as a user would write `config.json`, which is a forward proxy. @throws when it cannot be built. */
export async function startConfigured(
  document: JsonObject,
  options: ConfiguredOptions = {},
): Promise<ConfiguredGateway> {
  const logged: Record<string, unknown>[] = [];
  const observed: ConfiguredGateway['observed'] = [];
  const counted: ConfiguredGateway['counted'] = [];
  const gauges = new Gauges();
  const audited = new AuditedEvents();
  const listeners = new OwnListeners();
  const configuration = new Configuration({
    catalogue,
    reach: options.reach ?? operatorReach(),
    log: pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    figures: () => noFigures,
    observe: (metric, labels, seconds) => observed.push({ metric, labels, seconds }),
    count: (metric, labels) => counted.push({ metric, labels }),
    counter: (metric, labels) => () => counted.push({ metric, labels }),
    gauge: (metric, labels, read) => gauges.add(metric, labels, read),
    mayReach: (address, port) => !listeners.has(address, port),
    streaming: options.streaming ?? true,
    auditLink: audited,
    planeName: 'plane-1',
  });
  const set = Object.entries(options.routes ?? {}).map(([id, given], slot) => {
    const route = withForwardProxies(given) as JsonObject;
    const name = typeof route['name'] === 'string' ? route['name'] : id;
    return { router: 'gateway._router', id, name, document: route, hash: canonicalJson(route), slot };
  });
  const proxy = asForwardProxy(document);
  const base = { document: proxy, hash: canonicalJson(proxy) };
  await loadNamedParts(catalogue, [proxy, set]);
  const problems = configuration.apply({ revision: '1', base, set, remove: [], defaultSlots: {} });
  if (problems.length > 0) throw new Error(JSON.stringify(problems, null, 2));
  const gateway = await startGateway({
    ...options,
    handler: () => configuration.handle,
    onRefusedHead: configuration.refusedHead,
  });
  listeners.add({ address: '127.0.0.1', port: gateway.port });
  return {
    ...gateway,
    url: `http://127.0.0.1:${gateway.port}`,
    configuration,
    logged,
    observed,
    counted,
    gauges,
    audited,
    async close() {
      await gateway.close();
      configuration.close();
    },
  };
}

/** Every problem of a document, checked as a route. */
export function checkConfigured(document: JsonObject, reach: Reach = operatorReach()): readonly Problem[] {
  const reading = documentReading(reach, [document], () => {});
  // a route of a router that has a baseURI, so that only what is said of the document itself is found
  const check = { catalogue, reading, router: 'gateway._router', report: (): void => {} };
  return checkRoute(document, 'gateway._router.test', checkDefaultObjects(check), check).problems;
}
