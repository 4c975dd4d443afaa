import type { Logger } from 'pino';
import { closedGuard, loopbackGuard } from '../admin/admin-guard.ts';
import { type AdminAddress, ControllerAdmin, type ControllerAdminSource } from '../admin/controller-admin.ts';
import type { AdmissionJudge } from '../admission/admission-judge.ts';
import { AdmissionServer } from '../admission/admission-server.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { ServingCertificate } from '../publish/serving-credentials.ts';
import type { AdmissionTarget } from './admission-configuration.ts';
import { AdmissionRegistration } from './admission-registration.ts';
import type { ApiCaller } from './api-client.ts';
import { PacedWarning } from './paced-warning.ts';
import { reviewedAccess } from './reviewed-access.ts';

/** How often somebody looks whether the webhook is still registered as it has to be, in milliseconds. */
const REGISTRATION_INTERVAL = 60_000;

export interface WebhookOptions extends AdminAddress {
  /** Where the API server finds it; null for the address that it listens on. */
  readonly target: AdmissionTarget | null;
  readonly configuration: string;
  readonly failurePolicy: 'Ignore' | 'Fail';
  readonly owns: 'configuration' | 'ca-bundle';
}

export interface ControllerFrontsOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly source: ControllerAdminSource;
  readonly judge: AdmissionJudge;
  /** Whether other containers and `kubectl port-forward` arrive over loopback, as they do in a Pod. */
  readonly isInPod: boolean;
  /** Host under which the API server reaches the webhook where no target is given. */
  readonly advertise: string;
  certificate(): ServingCertificate;
  /** The authorities of that certificate, in PEM. */
  authorities(): string;
  isLeader(): boolean;
}

export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/** What people, scrapers and the API server ask of a controller: its admin addresses and its admission webhook. */
export class ControllerFronts {
  private readonly options: ControllerFrontsOptions;
  private readonly admins: ControllerAdmin[] = [];
  private secureAdmin: ControllerAdmin | null = null;
  private webhook: AdmissionServer | null = null;
  private registration: AdmissionRegistration | null = null;

  constructor(options: ControllerFrontsOptions) {
    this.options = options;
  }

  /** Without TLS only programs of the operator's machine see more than health and metrics: no token may be sent there. */
  openAdmin(address: AdminAddress): Promise<BoundAddress> {
    const isOwn = !this.options.isInPod && ['127.0.0.1', '::1', 'localhost'].includes(address.host ?? '');
    return this.listen(address, isOwn ? loopbackGuard : closedGuard('ask the admin address with TLS'), null);
  }

  openSecureAdmin(address: AdminAddress): Promise<BoundAddress> {
    return this.listen(address, reviewedAccess(this.options.api), pair(this.options.certificate()));
  }

  async openWebhook(options: WebhookOptions): Promise<BoundAddress> {
    const { api, log, metrics, judge, advertise, certificate, authorities, isLeader } = this.options;
    const failures = new PacedWarning(log, 'a review failed');
    this.webhook = new AdmissionServer({
      judge,
      certificate: certificate(),
      observer: {
        reviewed: (kind, outcome, milliseconds) => metrics.webhookAnswered(kind ?? 'unknown', outcome, milliseconds),
        failed: (error) => failures.give({ error: String(error) }),
      },
    });
    const { host, port, configuration, failurePolicy, owns } = options;
    const bound = await this.webhook.listen({ port, ...(host === undefined ? {} : { host }) });
    this.registration = new AdmissionRegistration(api, {
      name: configuration,
      target: options.target ?? { origin: `https://${advertise}:${bound.port}` },
      failurePolicy,
      owns,
      caBundle: authorities,
      isLeader,
      interval: REGISTRATION_INTERVAL,
      observer: {
        registered: () => log.info('the admission webhook is registered'),
        registrationFailed: (error) => log.warn({ error: error.message }, 'the admission webhook is not registered'),
      },
    });
    return bound;
  }

  /** Looks whether the webhook is registered: to be called when authorities or the leader change. */
  register(): void {
    void this.registration?.check();
  }

  /** Shows another certificate from now on. */
  renew(): void {
    const certificate = this.options.certificate();
    this.webhook?.renew(certificate);
    this.secureAdmin?.renew(pair(certificate));
  }

  async close(): Promise<void> {
    this.registration?.close();
    for (const admin of this.admins) admin.close();
    await this.webhook?.close();
  }

  private listen(
    address: AdminAddress,
    guard: ConstructorParameters<typeof ControllerAdmin>[1],
    certificate: ConstructorParameters<typeof ControllerAdmin>[2],
  ): Promise<BoundAddress> {
    const admin = new ControllerAdmin(this.options.source, guard, certificate);
    this.admins.push(admin);
    if (certificate !== null) this.secureAdmin = admin;
    return admin.listen(address);
  }
}

function pair({ certificate, key }: ServingCertificate): { readonly cert: string; readonly key: string } {
  return { cert: certificate, key };
}
