import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Reach } from '../../contract/reach.ts';
import { FIGURE } from '../../contract/route-report.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { ClusterController } from '../../controller/cluster/cluster-controller.ts';
import type { NamespaceScope } from '../../controller/cluster/cluster-source.ts';
import type { SidecarsOptions } from '../../controller/cluster/controller-fronts.ts';
import { givenCertificates } from '../../controller/cluster/identity/given-certificates.ts';
import { Compiler } from '../../controller/compile/compiler.ts';
import { readSidecarSettings } from '../../controller/injection/sidecar-settings.ts';
import type { MergedRoute } from '../../controller/metrics/merged-routes.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../dataplane/heap/named-parts.ts';
import type { LogLevel } from '../../dataplane/log/log-level.ts';
import type { LogFormat } from '../../dataplane/log/log-style.ts';
import { programLog, programLogStyle } from '../../dataplane/log/program-log.ts';
import { monitoringRecords, recordPrefix } from '../../dataplane/metrics/monitoring.ts';
import { RATE_INTERVAL, Rates } from '../../dataplane/metrics/rates.ts';
import { registerRouteCounts } from '../../dataplane/metrics/route-counts-exposition.ts';
import { registerRouteMetrics } from '../../dataplane/metrics/route-exposition.ts';
import { shownFigures } from '../../dataplane/metrics/shown-figures.ts';
import { monitoringEndpoint } from '../../dataplane/supervisor/monitoring-endpoint.ts';
import { giveBackAtRest } from '../../dataplane/supervisor/spare-memory.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';
import type { Address } from '../options/address.ts';
import type { ConsoleProvider } from '../options/console-provider.ts';
import { isInCluster } from '../options/in-cluster.ts';
import { kubeconfigPath } from '../options/kubeconfig-path.ts';
import { readOutsidePlanes } from '../options/outside-planes.ts';
import { controllerFailure } from '../output/controller-failure.ts';
import { programVersion } from '../version.ts';
import { ownAdminSocket } from './admin-socket.ts';
import { dataPlaneChecker } from './checker.ts';
import { consoleOpenid } from './console/console-openid.ts';
import { consoleSealing } from './console/console-sealing.ts';
import { consoleFiles } from './console-file.ts';
import { endSoon } from './end-soon.ts';
import { evaluateExpression } from './evaluate-expression.ts';
import { keepHeapSmall } from './frugal-heap.ts';
import { explainAction, routeSchema } from './managed-api.ts';
import { serverInfo } from './server-info.ts';
import { onStopSignal } from './stop-signals.ts';

export interface ControllerOptions {
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly base: string;
  readonly 'certificates-secret': string;
  readonly 'authority-configmap': string;
  readonly 'base-secret': string;
  readonly 'session-secret': string;
  readonly lease: string;
  readonly 'watch-namespaces': NamespaceScope;
  readonly listen: Address;
  readonly advertise: string | undefined;
  readonly 'server-names': readonly string[];
  readonly 'tls-cert': string | undefined;
  readonly 'tls-key': string | undefined;
  readonly 'tls-ca': string | undefined;
  readonly 'outside-planes': string | undefined;
  readonly admin: Address | null;
  readonly 'secure-admin': Address | null;
  readonly 'admin-socket': string | undefined;
  readonly webhook: Address | null;
  readonly 'webhook-service': { readonly name: string; readonly port: number } | undefined;
  readonly 'webhook-configuration': string;
  readonly 'webhook-owns': 'configuration' | 'ca-bundle';
  readonly 'api-rate': number;
  readonly 'route-versions': number;
  readonly 'failure-policy': 'Ignore' | 'Fail';
  readonly 'sidecar-settings': string | undefined;
  readonly 'injector-configuration': string;
  /** OpenID provider of the console; null for none. */
  readonly provider: ConsoleProvider | null;
  readonly name: string;
  readonly system: Readonly<Record<string, string>>;
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat;
}

/** Follows a cluster until it is told to stop. Resolves to the exit code. */
export async function runController(options: ControllerOptions): Promise<number> {
  keepHeapSmall();
  const log = programLog(options['log-level'], programLogStyle(options['log-format']));
  const sidecarFile = options['sidecar-settings'];
  // whoever made a slip is told before anything waits for a cluster
  if (sidecarFile !== undefined) readSidecarSettings(readFileSync(sidecarFile, 'utf8'), sidecarFile);
  const kubeconfig = kubeconfigPath(options.kubeconfig, process.env);
  const api = new ClusterApi(kubeconfig === undefined ? {} : { kubeconfig });
  const namespace = options.namespace ?? api.namespace ?? 'gatewarden';
  const outside = readOutsidePlanes(options['outside-planes']);
  const { 'tls-cert': certificate, 'tls-key': key, 'tls-ca': authority } = options;
  const isGiven = certificate !== undefined && key !== undefined && authority !== undefined;
  const advertise = options.advertise ?? hostname();
  const service = options['webhook-service'];
  const socket = options['admin-socket'] ?? (isInCluster() ? ownAdminSocket() : 'off');
  // Documents arrive one by one, and each is judged at once.
  await loadAllParts(catalogue);
  const openid = options.provider && (await consoleOpenid(options.provider, log));
  const rates = new Rates();
  let routes: () => readonly MergedRoute[] = () => [];
  const fail = (error: unknown): never => {
    throw controllerFailure(error, { server: api.server, namespace });
  };
  const controller = await ClusterController.open({
    api,
    log,
    compiler: clusterCompiler(options.system),
    version: programVersion(),
    name: options.name,
    namespace,
    base: options.base,
    shared: {
      secret: options['certificates-secret'],
      configMap: options['authority-configmap'],
      lease: options.lease,
      baseSecret: options['base-secret'],
      sessionSecret: options['session-secret'],
    },
    namespaces: options['watch-namespaces'],
    isInPod: isInCluster(),
    channel: { host: options.listen.host ?? '::', port: options.listen.port },
    advertise,
    serverNames: [...new Set([...options['server-names'], advertise, ...serviceNames(service?.name, namespace)])],
    certificates: isGiven ? givenCertificates(certificate, key, authority) : null,
    planeAuthorities: outside.authorities,
    authenticators: outside.authenticators,
    admin: options.admin,
    secureAdmin: options['secure-admin'],
    apiRate: options['api-rate'],
    routeVersions: options['route-versions'],
    info: serverInfo(),
    console: consoleFiles(),
    consoleSignIn: (keys) => ({ sealing: consoleSealing(keys), openid: openid?.(keys) ?? null }),
    routeSchema: routeSchema(),
    evaluate: evaluateExpression,
    explain: explainAction({ reach: { env: {}, system: {}, directories: DIRECTORIES } }),
    adminSocket: socket === 'off' ? null : socket,
    webhook:
      options.webhook === null
        ? null
        : {
            ...options.webhook,
            target: service === undefined ? null : { service: { namespace, ...service } },
            configuration: options['webhook-configuration'],
            failurePolicy: options['failure-policy'],
            owns: options['webhook-owns'],
            sidecars: sidecarsOf(options, namespace),
          },
    monitoring: (all) => monitoringEndpoint(() => monitoringRecords(all(), rates, Date.now())),
    figures: (all) => shownFigures(all, rates, Date.now()),
    showRoutes(registry, read) {
      routes = read;
      registerRouteMetrics(registry, { series: read, observations: () => [] });
      registerRouteCounts(registry, read);
    },
  }).catch(fail);
  const ticking = setInterval(() => {
    try {
      const counts = routes().map((series) => [recordPrefix(series), series.figures[FIGURE.ended]!] as const);
      rates.tick(new Map(counts), Date.now());
    } catch (error) {
      log.error({ error: String(error) }, 'could not compute the request rates of routes');
    }
  }, RATE_INTERVAL);
  const addresses = await controller.start().catch(fail);
  log.info({ ...addresses, server: api.server, namespace }, 'listening');
  giveBackAtRest();
  const ended = Promise.withResolvers<void>();
  onStopSignal(async () => {
    clearInterval(ticking);
    await controller.close();
    await api.close();
    ended.resolve();
  });
  await ended.promise;
  log.info('stopped');
  endSoon();
  return 0;
}

/** A controller has no files of an instance. */
const DIRECTORIES = { instance: '/', config: '/', temp: '/tmp' };

/** The compiler of a controller. Documents of operators know its environment, and reach no file: planes have those. */
function clusterCompiler(system: Readonly<Record<string, string>>): Compiler {
  const whole = operatorReach({ env: { ...process.env }, system, directories: DIRECTORIES });
  const reach: Reach = { ...whole, readFile: () => null, listDirectory: () => null };
  return new Compiler({
    checker: dataPlaneChecker(reach),
    tokens: { reach, files: new Map(), instanceUrl: null, allowed: new Map() },
    configDirectory: DIRECTORIES.config,
  });
}

function sidecarsOf(options: ControllerOptions, namespace: string): SidecarsOptions | null {
  const { 'sidecar-settings': settings, 'injector-configuration': configuration } = options;
  return settings === undefined ? null : { settings, configuration, namespace };
}

function serviceNames(service: string | undefined, namespace: string): string[] {
  return service === undefined ? [] : [service, `${service}.${namespace}`, `${service}.${namespace}.svc`];
}
