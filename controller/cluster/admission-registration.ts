import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import {
  type AdmissionConfigurationOptions,
  admissionConfiguration,
  caBundleOf,
  covers,
  WEBHOOK_NAME,
  webhookOf,
} from './admission-configuration.ts';
import type { ApiCaller, ApiRequest } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { resourcePath } from './resource-path.ts';

export interface AdmissionRegistrationOptions extends AdmissionConfigurationOptions {
  /**
   * Whether the whole configuration is ours, or only the `caBundle` of one that somebody else has made, for which the
   * right to patch it is enough.
   */
  readonly owns: 'configuration' | 'ca-bundle';
  /** The authorities of the webhook's certificate at the moment, in PEM. */
  caBundle(): string;
  /** Of several controllers one writes, or they would overwrite each other while authorities change. */
  isLeader(): boolean;
  /** Milliseconds from one look to the next. */
  readonly interval: number;
  readonly observer: RegistrationObserver;
}

export interface RegistrationObserver {
  /** The configuration was not as it has to be, and now is. */
  registered(): void;
  /** The API server does not know where the webhook is, or with which authorities; it is tried again. */
  registrationFailed(error: Error): void;
}

const FIELD_MANAGER = 'gatewarden-controller';

/** Keeps the ValidatingWebhookConfiguration as it has to be, whoever changes it and whenever authorities change. */
export class AdmissionRegistration {
  private readonly api: Pick<ApiCaller, 'call'>;
  private readonly options: AdmissionRegistrationOptions;
  private readonly path: string;
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private isWanted = false;

  constructor(api: Pick<ApiCaller, 'call'>, options: AdmissionRegistrationOptions) {
    this.api = api;
    this.options = options;
    const group = 'admissionregistration.k8s.io';
    const { name } = options;
    this.path = resourcePath({ group, version: 'v1', plural: 'validatingwebhookconfigurations', name });
  }

  /** Looks now, and from then on again and again: to be called at the start, and when authorities or the leader change. */
  check(): Promise<void> {
    if (this.ended.signal.aborted) return Promise.resolve();
    if (this.running !== null) {
      this.isWanted = true;
      return this.running;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.running = this.look().finally(() => {
      this.running = null;
      if (!this.ended.signal.aborted) this.timer = setTimeout(() => void this.check(), this.options.interval);
    });
    return this.running;
  }

  /** Leaves the configuration as it is: other controllers may go on. */
  close(): void {
    this.ended.abort();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const { observer, isLeader, owns } = this.options;
    do {
      this.isWanted = false;
      if (!isLeader()) return;
      try {
        const isWritten = await (owns === 'configuration' ? this.apply() : this.patch());
        if (isWritten) observer.registered();
      } catch (error) {
        if (this.ended.signal.aborted) return;
        observer.registrationFailed(error instanceof Error ? error : new Error(String(error)));
      }
    } while (this.isWanted);
  }

  private async apply(): Promise<boolean> {
    const wanted = admissionConfiguration(this.options, this.options.caBundle());
    const found = webhookOf(await this.read());
    const own = webhookOf(wanted);
    if (found !== null && own !== null && covers(found, own)) return false;
    await this.call({
      method: 'PATCH',
      query: { fieldManager: FIELD_MANAGER, force: true },
      contentType: 'application/apply-patch+yaml',
      body: wanted,
    });
    return true;
  }

  private async patch(): Promise<boolean> {
    const { name, caBundle } = this.options;
    const found = webhookOf(await this.read());
    if (found === null) {
      throw new Error(`there is no ValidatingWebhookConfiguration ${name} with a webhook ${WEBHOOK_NAME}`);
    }
    const wanted = Buffer.from(caBundle()).toString('base64');
    if (caBundleOf(found) === wanted) return false;
    const webhook: JsonObject = { name: WEBHOOK_NAME, clientConfig: { caBundle: wanted } };
    await this.call({
      method: 'PATCH',
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/strategic-merge-patch+json',
      body: { webhooks: [webhook] },
    });
    return true;
  }

  /** Undefined when there is none. */
  private async read(): Promise<JsonValue | undefined> {
    try {
      return await this.call({ method: 'GET' });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  private async call(request: Omit<ApiRequest, 'path'>): Promise<JsonValue> {
    const { body } = await this.api.call({ ...request, path: this.path, signal: this.ended.signal });
    return body as JsonValue;
  }
}
