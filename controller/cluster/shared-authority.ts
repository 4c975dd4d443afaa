import { z } from 'zod';
import { CertificateAuthority, type Lifetimes } from '../certificates/certificate-authority.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { ApiCaller } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { resourcePath } from './resource-path.ts';

export interface SharedAuthorityOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  /** Name of the Secret that holds the authority, which only controllers may read. */
  readonly secret: string;
  /** Name of the ConfigMap whose `ca.crt` planes are to trust. */
  readonly configMap: string;
  readonly clock?: Clock;
  readonly lifetimes?: Partial<Lifetimes>;
  /** Milliseconds from one look to the next. */
  readonly interval?: number;
  /** Of several controllers one rotates. */
  isLeader(): boolean;
  /** There is another authority, made here or by another controller. */
  changed(authority: CertificateAuthority): void;
  /** Hears of what went wrong; it is tried again. */
  failed(message: string): void;
}

const KEY = 'authority.json';
const TIMEOUT = 5000;
const FIELD_MANAGER = 'gatewarden-controller';

const stored = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

interface Held {
  readonly authority: CertificateAuthority;
  readonly resourceVersion: string;
}

/** The authority that all controllers of a namespace share: one of them made it, and the leader rotates it. */
export class SharedAuthority {
  private readonly options: SharedAuthorityOptions;
  private readonly clock: Clock;
  private held: Held;
  /** What the ConfigMap was told last. */
  private told: string | null = null;
  private callOff: () => void = () => undefined;
  private isClosed = false;

  private constructor(options: SharedAuthorityOptions, held: Held) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.held = held;
    this.wait();
  }

  /** Takes the authority that is there, or makes one. @throws ApiError, and Error when what is there is none */
  static async open(options: SharedAuthorityOptions): Promise<SharedAuthority> {
    const held = (await read(options)) ?? (await create(options)) ?? (await read(options));
    if (held === null) throw new Error(`the Secret ${options.namespace}/${options.secret} comes and goes`);
    return new SharedAuthority(options, held);
  }

  get authority(): CertificateAuthority {
    return this.held.authority;
  }

  /** Looks whether there is another authority, and whether it is time for one. To be called when this one leads. */
  async check(): Promise<void> {
    this.callOff();
    try {
      await this.look();
    } catch (error) {
      this.options.failed(error instanceof Error ? error.message : String(error));
    }
    if (!this.isClosed) this.wait();
  }

  close(): void {
    this.isClosed = true;
    this.callOff();
  }

  private async look(): Promise<void> {
    const { options } = this;
    const now = await read(options);
    // one that was deleted is not made anew: planes trust the one that there was
    if (now !== null && now.authority.serialised() !== this.held.authority.serialised()) {
      this.held = now;
      options.changed(now.authority);
    }
    if (!options.isLeader()) return;
    const next = this.held.authority.rotate(this.clock.wall());
    if (next !== this.held.authority || now === null) await this.write(next, now);
    await this.publish();
  }

  private async write(authority: CertificateAuthority, now: Held | null): Promise<void> {
    const { api, namespace, secret } = this.options;
    const body = secretBody(this.options, authority, now?.resourceVersion);
    const path = secretPath(namespace, now === null ? undefined : secret);
    const answer = await api.call({ method: now === null ? 'POST' : 'PUT', path, body, timeout: TIMEOUT });
    const { metadata } = stored.parse(answer.body);
    const isAnother = authority !== this.held.authority;
    this.held = { authority, resourceVersion: metadata.resourceVersion };
    if (isAnother) this.options.changed(authority);
  }

  /** Says which authorities planes are to trust. */
  private async publish(): Promise<void> {
    const bundle = this.held.authority.bundle();
    if (bundle === this.told) return;
    const { api, namespace, configMap: name } = this.options;
    await api.call({
      method: 'PATCH',
      path: resourcePath({ version: 'v1', plural: 'configmaps', namespace, name }),
      query: { fieldManager: FIELD_MANAGER, force: true },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { 'ca.crt': bundle } },
      contentType: 'application/apply-patch+yaml',
      timeout: TIMEOUT,
    });
    this.told = bundle;
  }

  private wait(): void {
    this.callOff = this.clock.after(this.options.interval ?? 30_000, () => void this.check());
  }
}

async function read({ api, namespace, secret, lifetimes }: SharedAuthorityOptions): Promise<Held | null> {
  try {
    const answer = await api.call({ method: 'GET', path: secretPath(namespace, secret), timeout: TIMEOUT });
    const { metadata, data } = stored.parse(answer.body);
    const text = Buffer.from(data[KEY] ?? '', 'base64').toString('utf8');
    return { authority: CertificateAuthority.parse(text, lifetimes), resourceVersion: metadata.resourceVersion };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** @returns null when another controller was faster */
async function create(options: SharedAuthorityOptions): Promise<Held | null> {
  const authority = CertificateAuthority.create((options.clock ?? systemClock).wall(), options.lifetimes);
  const body = secretBody(options, authority, undefined);
  try {
    const path = secretPath(options.namespace);
    const answer = await options.api.call({ method: 'POST', path, body, timeout: TIMEOUT });
    return { authority, resourceVersion: stored.parse(answer.body).metadata.resourceVersion };
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return null;
    throw error;
  }
}

function secretBody(
  { namespace, secret: name }: SharedAuthorityOptions,
  authority: CertificateAuthority,
  resourceVersion: string | undefined,
): object {
  const content = Buffer.from(authority.serialised()).toString('base64');
  const metadata = { namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { [KEY]: content } };
}

function secretPath(namespace: string, name?: string): string {
  const place = { version: 'v1', plural: 'secrets', namespace };
  return resourcePath(name === undefined ? place : { ...place, name });
}
