import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { asError } from '../../../platform/error-text.ts';
import type { ApiCaller, ApiRequest } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { Reflector } from '../api/reflector.ts';
import { resourcePath } from '../api/resource-path.ts';
import { caBundleOf, covers, webhooksOf } from './admission-configuration.ts';

export type WebhookConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

export interface AdmissionRegistrationOptions {
  readonly kind: WebhookConfigurationKind;
  /** Name of the configuration. */
  readonly name: string;
  /**
   * The whole configuration as it is to be with these authorities (PEM). Null when somebody else has made it, and only
   * the `caBundle` of each webhook in it is ours: then the right to patch it is enough.
   */
  readonly wanted: ((caBundle: string) => JsonObject) | null;
  /** The authorities of the webhook's certificate at the moment, in PEM. */
  caBundle(): string;
  /** Of several controllers one writes, or they would overwrite each other while authorities change. */
  isLeader(): boolean;
  /** Milliseconds from one look to the next, where nothing is heard of a change. */
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
/** Milliseconds from a change to the look at it: somebody who always writes something else must not be raced with. */
const PAUSE = 250;

/**
 * Keeps a configuration of webhooks as it has to be, whoever changes it and whenever authorities change. It follows the
 * configuration by its name; where that is not allowed, it looks from time to time.
 */
export class AdmissionRegistration {
  private readonly api: ApiCaller;
  private readonly options: AdmissionRegistrationOptions;
  private readonly path: string;
  private readonly follower: Reflector<string>;
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private isWanted = false;
  private isChanged = false;

  constructor(api: ApiCaller, options: AdmissionRegistrationOptions) {
    this.api = api;
    this.options = options;
    const { kind, name } = options;
    const place = { group: 'admissionregistration.k8s.io', version: 'v1', plural: `${kind.toLowerCase()}s` };
    this.path = resourcePath({ ...place, name });
    this.follower = new Reflector({
      api,
      kind,
      path: resourcePath(place),
      fieldSelector: `metadata.name=${name}`,
      take: versionOf,
      changed: () => this.heard(),
    });
  }

  /** Looks now, and from then on whenever it changes. */
  start(): void {
    void this.check();
    this.follower.start();
  }

  /** Looks now, and from then on again and again: to be called when authorities or the leader change. */
  check(): Promise<void> {
    if (this.ended.signal.aborted) return Promise.resolve();
    if (this.running !== null) {
      this.isWanted = true;
      return this.running;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.running = this.look().finally(() => {
      this.running = null;
      this.wait(this.isChanged ? PAUSE : this.options.interval);
    });
    return this.running;
  }

  /** Leaves the configuration as it is: other controllers may go on. */
  async close(): Promise<void> {
    this.ended.abort();
    if (this.timer !== null) clearTimeout(this.timer);
    await this.follower.close();
  }

  private heard(): void {
    this.isChanged = true;
    if (this.running === null) this.wait(PAUSE);
  }

  private wait(milliseconds: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (!this.ended.signal.aborted) this.timer = setTimeout(() => void this.check(), milliseconds);
  }

  private async look(): Promise<void> {
    const { observer, isLeader, wanted } = this.options;
    do {
      this.isWanted = this.isChanged = false;
      if (!isLeader()) return;
      try {
        const isWritten = await (wanted === null ? this.patch() : this.apply(wanted));
        if (isWritten) observer.registered();
      } catch (error) {
        if (this.ended.signal.aborted) return;
        observer.registrationFailed(asError(error));
      }
    } while (this.isWanted);
  }

  private async apply(make: (caBundle: string) => JsonObject): Promise<boolean> {
    const wanted = make(this.options.caBundle());
    const found = webhooksOf(await this.read());
    const isAsWanted = webhooksOf(wanted).every((own) => found.some((one) => covers(one, own)));
    if (isAsWanted) return false;
    await this.call({
      method: 'PATCH',
      query: { fieldManager: FIELD_MANAGER, force: true },
      contentType: 'application/apply-patch+yaml',
      body: wanted,
    });
    return true;
  }

  private async patch(): Promise<boolean> {
    const { kind, name, caBundle } = this.options;
    const found = webhooksOf(await this.read());
    if (found.length === 0) throw new Error(`there is no ${kind} ${name} with a webhook`);
    const wanted = Buffer.from(caBundle()).toString('base64');
    const others = found.filter((webhook) => caBundleOf(webhook) !== wanted);
    if (others.length === 0) return false;
    const webhooks = others.map((webhook) => ({ name: webhook['name'] ?? '', clientConfig: { caBundle: wanted } }));
    await this.call({
      method: 'PATCH',
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/strategic-merge-patch+json',
      body: { webhooks },
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

function versionOf({ metadata }: JsonObject): string | null {
  const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : null;
}
