import { type Clock, systemClock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import { CertificateAuthority, type Lifetimes } from '../../certificates/certificate-authority.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { resourcePath } from '../api/resource-path.ts';
import { SecretText } from '../secret-text.ts';

export interface SharedAuthorityOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  /** Name of the Secret that holds the authority, which only controllers may read. An empty one is filled. */
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

/** How often it is tried to be the one who makes the authority; others write to an empty Secret, too. */
const MOST_TRIES = 5;

/** The authority that all controllers of a namespace share: one of them made it, and the leader rotates it. */
export class SharedAuthority {
  private readonly options: SharedAuthorityOptions;
  private readonly clock: Clock;
  private readonly stored: SecretText;
  private held: CertificateAuthority;
  private callOff: () => void = () => undefined;
  private isClosed = false;

  private constructor(options: SharedAuthorityOptions, held: CertificateAuthority) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.stored = storedIn(options);
    this.held = held;
    this.wait();
  }

  /** Takes the authority that is there, or makes one. @throws ApiError, and Error when what is there is none */
  static async open(options: SharedAuthorityOptions): Promise<SharedAuthority> {
    const { namespace, secret, clock = systemClock, lifetimes } = options;
    const stored = storedIn(options);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const there = await stored.read();
      const found = there && authorityIn(there.text, options);
      if (found !== null) return new SharedAuthority(options, found);
      const authority = CertificateAuthority.create(clock.wall(), lifetimes);
      if (await stored.write(authority.serialised(), there)) return new SharedAuthority(options, authority);
    }
    throw new Error(`the Secret ${namespace}/${secret} is repeatedly deleted and created`);
  }

  get authority(): CertificateAuthority {
    return this.held;
  }

  /** Looks whether there is another authority, and whether it is time for one. To be called when this one leads. */
  async check(): Promise<void> {
    this.callOff();
    try {
      await this.look();
    } catch (error) {
      this.options.failed(errorText(error));
    }
    if (!this.isClosed) this.wait();
  }

  close(): void {
    this.isClosed = true;
    this.callOff();
  }

  private async look(): Promise<void> {
    const { options, stored } = this;
    const there = await stored.read();
    // one that was deleted or emptied is not made anew: planes trust the one that there was
    const found = there && authorityIn(there.text, options);
    if (found !== null) this.take(found);
    if (!options.isLeader()) return;
    const next = this.held.rotate(this.clock.wall());
    if (next !== this.held || found === null) {
      const isWritten = await stored.write(next.serialised(), there);
      if (!isWritten) throw new Error(`another client wrote the Secret ${options.namespace}/${options.secret}`);
      this.take(next);
    }
    await this.publish();
  }

  private take(authority: CertificateAuthority): void {
    if (authority.serialised() === this.held.serialised()) return;
    this.held = authority;
    this.options.changed(authority);
  }

  /** Says which authorities planes are to trust; where that is what is said already, nothing changes in the cluster. */
  private async publish(): Promise<void> {
    const { api, namespace, configMap: name } = this.options;
    const data = { 'ca.crt': this.held.bundle() };
    await api.call({
      method: 'PATCH',
      path: resourcePath({ version: 'v1', plural: 'configmaps', namespace, name }),
      query: { fieldManager: FIELD_MANAGER, force: true },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data },
      contentType: 'application/apply-patch+yaml',
      timeout: TIMEOUT,
    });
  }

  private wait(): void {
    this.callOff = this.clock.after(this.options.interval ?? 30_000, () => void this.check());
  }
}

function storedIn({ api, namespace, secret }: SharedAuthorityOptions): SecretText {
  return new SecretText({ api, namespace, name: secret, key: KEY });
}

/** @returns null when there is none in it yet. @throws Error when there is something else */
function authorityIn(text: string, { lifetimes }: SharedAuthorityOptions): CertificateAuthority | null {
  return text === '' ? null : CertificateAuthority.parse(text, lifetimes);
}
