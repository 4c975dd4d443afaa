import type { Logger } from 'pino';
import type { DescribedSchema } from '../../contract/crest/describe/description.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { type AdminGuard, closedGuard, loopbackGuard, openGuard } from '../../platform/admin/admin-guard.ts';
import type { AdminCertificate, AdminServer } from '../../platform/admin/admin-server.ts';
import type { AdminPath } from '../../platform/admin/admin-table.ts';
import type { ConsoleFiles } from '../../platform/admin/console-files.ts';
import { consolePaths } from '../../platform/admin/console-paths.ts';
import { errorStack, errorText } from '../../platform/error-text.ts';
import type { BoundAddress, ListenAddress } from '../../platform/listen-address.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
import { type ControllerAdminSource, controllerAdmin } from '../admin/controller-admin.ts';
import type { AdmissionJudge } from '../admission/admission-judge.ts';
import { AdmissionServer } from '../admission/admission-server.ts';
import type { BaseJudge } from '../admission/base-review.ts';
import type { PodInjector } from '../admission/injection-verdict.ts';
import { webhookInjector } from '../injection/webhook-injector.ts';
import type { EvaluateExpression } from '../manage/asked-expression.ts';
import type { ExplainRequest } from '../manage/explained-request.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { ServingCertificate } from '../publish/channel/serving-credentials.ts';
import type { ApiCaller, ApiOnBehalf } from './api/api-client.ts';
import type { NamespaceScope } from './cluster-source.ts';
import { type AnsweredCall, isChange } from './crest/answered-call.ts';
import { CallerGate } from './crest/caller-gate.ts';
import { CrestFront, type CrestFrontOptions } from './crest/crest-front.ts';
import type { MadeDryRun } from './crest/explain-for-caller.ts';
import { type AdmissionTarget, admissionConfiguration } from './identity/admission-configuration.ts';
import { AdmissionRegistration, type WebhookConfigurationKind } from './identity/admission-registration.ts';
import type { ConsoleSignIn } from './sign-in/console-sealing.ts';
import { ConsoleSessions } from './sign-in/console-sessions.ts';
import { openidPaths } from './sign-in/openid-paths.ts';
import { consoleCredentials } from './sign-in/request-credentials.ts';
import { sessionPaths } from './sign-in/session-paths.ts';

/** How often somebody looks whether the webhook is still registered as it has to be, in milliseconds. */
const REGISTRATION_INTERVAL = 60_000;

/** Requests in a second that a caller may send for status, dump and monitoring where Common REST is turned off. */
const STATUS_RATE = 100;

/** Characters of a path in a log line. */
const LONGEST_PATH = 400;

export interface WebhookOptions extends ListenAddress {
  /** Where the API server finds it; null for the address that it listens on. */
  readonly target: AdmissionTarget | null;
  readonly configuration: string;
  readonly failurePolicy: 'Ignore' | 'Fail';
  readonly owns: 'configuration' | 'ca-bundle';
  /** How Pods get sidecars; null when they get none. */
  readonly sidecars: SidecarsOptions | null;
}

export interface SidecarsOptions {
  /** File with the settings of sidecars. */
  readonly settings: string;
  /** Name of the MutatingWebhookConfiguration, of which only the authorities are kept up to date. */
  readonly configuration: string;
  /** Namespace of the controllers. */
  readonly namespace: string;
}

export interface ControllerFrontsOptions {
  readonly api: ApiCaller & ApiOnBehalf;
  /** Namespaces of the objects that the controller follows. */
  readonly namespaces: NamespaceScope;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly source: ControllerAdminSource;
  readonly judge: AdmissionJudge;
  readonly baseJudge: BaseJudge;
  /** Whether other containers and `kubectl port-forward` arrive over loopback, as they do in a Pod. */
  readonly isInPod: boolean;
  /** Host under which the API server reaches the webhook where no target is given. */
  readonly advertise: string;
  certificate(): ServingCertificate;
  /** The authorities of that certificate, in PEM. */
  authorities(): string;
  isLeader(): boolean;
  /** Files of the console; absent for none. */
  readonly console?: ConsoleFiles | undefined;
  /** Seals sessions of the console, and signs people in. */
  readonly consoleSignIn: ConsoleSignIn;
  /** Facts about the program for Common REST. */
  readonly info: JsonObject;
  /** Returns the schema of a route document. */
  readonly routeSchema: () => Promise<DescribedSchema>;
  /** Requests of Common REST in a second, for each caller; 0 serves none. */
  readonly apiRate: number;
  /** Cache and secret of the controller, and what its data planes run, for Common REST. */
  readonly managed: Pick<
    CrestFrontOptions,
    'source' | 'isListed' | 'secret' | 'live' | 'planes' | 'served' | 'verdicts' | 'history' | 'dryRuns'
  >;
  readonly explain: ExplainRequest;
  readonly evaluate: EvaluateExpression;
}

/** Servers of a controller for people, scrapers and the API server: admin addresses and admission webhook. */
export class ControllerFronts {
  private readonly options: ControllerFrontsOptions;
  private readonly admins: AdminServer[] = [];
  private secureAdmin: AdminServer | null = null;
  private webhook: AdmissionServer | null = null;
  private registrations: readonly AdmissionRegistration[] = [];

  constructor(options: ControllerFrontsOptions) {
    this.options = options;
  }

  /** Without TLS only programs of the operator's machine see more than health and metrics: no token may be sent there. */
  openAdmin(address: ListenAddress): Promise<BoundAddress> {
    const isOwn = !this.options.isInPod && ['127.0.0.1', '::1', 'localhost'].includes(address.host ?? '');
    const admin = this.adminWith(isOwn ? loopbackGuard : closedGuard('use the admin address with TLS'), null);
    this.admins.push(admin);
    return admin.listen(address);
  }

  /** For whoever may run programs where this one runs. Where no socket can be made, the others have to do. */
  async openAdminSocket(path: string): Promise<void> {
    const admin = this.adminWith(openGuard, null);
    try {
      await admin.listenAt(path);
      this.admins.push(admin);
    } catch (error) {
      this.options.log.warn({ error: errorText(error) }, 'could not open the socket for status and dump');
    }
  }

  /** Common REST is only here, because it takes tokens that are good for more than this. */
  openSecureAdmin(address: ListenAddress): Promise<BoundAddress> {
    const {
      api,
      judge,
      info,
      routeSchema,
      explain,
      evaluate,
      managed,
      apiRate: rate,
      certificate,
      console,
    } = this.options;
    const answered = (call: AnsweredCall): void => this.apiAnswered(call);
    const gate = new CallerGate({ api, rate: rate > 0 ? rate : STATUS_RATE });
    const sessions = new ConsoleSessions(this.options.consoleSignIn.sealing);
    const credentials = console === undefined ? undefined : consoleCredentials(sessions);
    const dryRan = (made: MadeDryRun): void => this.options.log.info(made, 'dry run made over HTTP');
    const told = { answered, dryRan };
    const parts = { api, judge, info, routeSchema, explain, evaluate, gate, credentials, ...told, ...managed };
    const pages = console === undefined ? [] : consolePaths(console, openGuard, this.sessionPaths(gate, sessions));
    const paths = rate > 0 ? [...new CrestFront(parts).paths, ...pages] : [];
    this.secureAdmin = this.adminWith(gate.pathGuard, pair(certificate()), paths);
    this.admins.push(this.secureAdmin);
    return this.secureAdmin.listen(address);
  }

  private sessionPaths(gate: CallerGate, sessions: ConsoleSessions): AdminPath[] {
    const { log, consoleSignIn } = this.options;
    const { openid } = consoleSignIn;
    const rejections = new PacedWarning(log, 'sign-in to the console rejected', { most: 5 });
    const signedIn = (user: string): void => log.info({ user }, 'user signed in to the console');
    const paths = sessionPaths({
      ...{ gate, sessions, openid, signedIn },
      rejected: (status, from) => rejections.give({ status, from }),
    });
    if (openid === null) return paths;
    const failures = new PacedWarning(log, 'OpenID sign-in to the console failed', { most: 5 });
    const failed = (problem: string, reason: string, from: string): void => failures.give({ problem, reason, from });
    return [...paths, ...openidPaths({ gate, sessions, openid, signedIn, failed })];
  }

  private apiAnswered({ collection, milliseconds, ...call }: AnsweredCall): void {
    const { log, metrics } = this.options;
    const { operation, status, path } = call;
    metrics.apiAnswered(operation, collection, status, milliseconds);
    const shown = { ...call, path: path.slice(0, LONGEST_PATH) };
    // Reads are many; each change is told.
    if (isChange(operation) && call.caller !== null)
      log.info(shown, status < 300 ? 'resource changed over HTTP' : 'change over HTTP rejected');
    else log.debug(shown, 'Common REST request answered');
  }

  async openWebhook(options: WebhookOptions): Promise<BoundAddress> {
    const { log, metrics, judge, baseJudge, advertise, certificate } = this.options;
    const failures = new PacedWarning(log, 'admission review failed', { most: 5 });
    this.webhook = new AdmissionServer({
      judge,
      baseJudge,
      injector: options.sidecars && this.injectorOf(options.sidecars),
      certificate: certificate(),
      observer: {
        reviewed: (kind, outcome, milliseconds) => metrics.webhookAnswered(kind ?? 'unknown', outcome, milliseconds),
        failed: (error) => failures.give({ error: String(error) }),
      },
    });
    const { host, port, configuration, failurePolicy, owns } = options;
    const bound = await this.webhook.listen({ port, ...(host === undefined ? {} : { host }) });
    const target = options.target ?? { origin: `https://${advertise}:${bound.port}` };
    const namespaceSelector = judgedNamespaces(this.options.namespaces);
    const whole = { name: configuration, target, failurePolicy, namespaceSelector, base: baseJudge.base };
    const wanted = owns === 'configuration' ? (bundle: string) => admissionConfiguration(whole, bundle) : null;
    this.registrations = [
      this.registrationOf('ValidatingWebhookConfiguration', configuration, wanted),
      ...(options.sidecars === null
        ? []
        : [this.registrationOf('MutatingWebhookConfiguration', options.sidecars.configuration, null)]),
    ];
    for (const one of this.registrations) one.start();
    return bound;
  }

  /** Looks whether the webhooks are registered: to be called when authorities or the leader change. */
  register(): void {
    for (const one of this.registrations) void one.check();
  }

  /** Shows another certificate from now on. */
  renew(): void {
    const certificate = this.options.certificate();
    this.webhook?.renew(certificate);
    this.secureAdmin?.renew(pair(certificate));
  }

  async close(): Promise<void> {
    await Promise.all(this.registrations.map((one) => one.close()));
    for (const admin of this.admins) admin.close();
    await this.webhook?.close();
  }

  private injectorOf({ settings: file, namespace }: SidecarsOptions): PodInjector {
    const { log, authorities } = this.options;
    const failures = new PacedWarning(log, 'sidecar settings rejected; the previous settings stay in effect', {
      most: 5,
    });
    return webhookInjector({
      file,
      namespace,
      authorities,
      failed: (error) => failures.give({ error: error.message }),
    });
  }

  private registrationOf(
    kind: WebhookConfigurationKind,
    name: string,
    wanted: ((caBundle: string) => JsonObject) | null,
  ): AdmissionRegistration {
    const { api, log, authorities, isLeader } = this.options;
    return new AdmissionRegistration(api, {
      kind,
      name,
      wanted,
      caBundle: authorities,
      isLeader,
      interval: REGISTRATION_INTERVAL,
      observer: {
        registered: () => log.info({ kind, name }, 'admission webhook registered'),
        registrationFailed: (error) =>
          log.warn({ kind, name, error: error.message }, 'admission webhook registration failed, retrying'),
      },
    });
  }

  private adminWith(
    guard: AdminGuard,
    certificate: AdminCertificate | null,
    paths: readonly AdminPath[] = [],
  ): AdminServer {
    const { source, log } = this.options;
    const failures = new PacedWarning(log, 'admin request failed', { most: 5 });
    const failed = (error: unknown, path: string): void => failures.give({ path, error: errorStack(error) });
    return controllerAdmin({ source, guard, certificate, paths, failed });
  }
}

function pair({ certificate, key }: ServingCertificate): AdminCertificate {
  return { cert: certificate, key };
}

/** Selects the namespaces that the controller follows by name: objects in others may be another controller's. */
function judgedNamespaces(scope: NamespaceScope): JsonObject {
  if (typeof scope === 'string' || 'labelSelector' in scope) return {};
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...scope] }] };
}
