import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import { CONSENT, CONSENT_LABEL, type SecretContent } from '../../contract/resources/resource.ts';
import type { ApiCaller } from './api/api-client.ts';
import type { ApiError } from './api/api-error.ts';
import { PacedCaller } from './api/paced-caller.ts';
import { Reflector, type ReflectorTimes } from './api/reflector.ts';
import type { ReflectorFacts } from './api/reflector-facts.ts';
import { resourcePath } from './api/resource-path.ts';
import { highestVersion } from './api/resource-version.ts';

/** How many Secrets are asked for at a time. */
const AT_A_TIME = 16;

export interface SecretsFollowerOptions {
  readonly api: ApiCaller;
  changed(): void;
  /** @param key `namespace/name` */
  failed?(error: ApiError, key: string): void;
  readonly times?: Partial<ReflectorTimes>;
}

/**
 * Follows Secrets by name, each with a list and a watch that name it, so that a role can allow exactly these. The data of
 * a Secret without the label of consent is dropped while it is read. A Secret that may not be read is one that is not
 * there.
 */
export class SecretsFollower {
  private readonly options: SecretsFollowerOptions;
  private readonly api: ApiCaller;
  private readonly followed = new Map<string, Reflector<SecretContent>>();
  private copy: ReadonlyMap<string, SecretContent | null> | null = null;

  constructor(options: SecretsFollowerOptions) {
    this.options = options;
    this.api = new PacedCaller(options.api, AT_A_TIME);
  }

  /** By `namespace/name`: null for one that is not there, absent before it was read. The same map until it changes. */
  get secrets(): ReadonlyMap<string, SecretContent | null> {
    if (this.copy !== null) return this.copy;
    const copy = new Map<string, SecretContent | null>();
    for (const [key, reflector] of this.followed) {
      if (reflector.isSynced) copy.set(key, reflector.objects.get(key) ?? null);
    }
    this.copy = copy;
    return copy;
  }

  get facts(): readonly ReflectorFacts[] {
    return [...this.followed.values()].map(({ facts }) => facts);
  }

  /** The highest resourceVersion up to which any Secret is known; null when none was read. */
  get seen(): string | null {
    return highestVersion([...this.followed.values()].map(({ position }) => position));
  }

  /** The resourceVersion up to which this Secret is known; null before it was read. */
  seenOf(key: string): string | null {
    return this.followed.get(key)?.position ?? null;
  }

  /** Follows these, by `namespace/name`, and no others. What is forgotten is not said: nobody asks for it any more. */
  follow(wanted: Iterable<string>): void {
    const keys = new Set(wanted);
    for (const [key, reflector] of this.followed) {
      if (keys.has(key)) continue;
      this.followed.delete(key);
      this.copy = null;
      void reflector.close();
    }
    for (const key of keys) {
      if (this.followed.has(key)) continue;
      const reflector = this.reflectorOf(key);
      this.followed.set(key, reflector);
      reflector.start();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.followed.values()].map((reflector) => reflector.close()));
  }

  private reflectorOf(key: string): Reflector<SecretContent> {
    const { failed, times } = this.options;
    const [namespace = '', name = ''] = key.split('/');
    return new Reflector({
      api: this.api,
      kind: 'Secret',
      scope: key,
      path: resourcePath({ version: 'v1', plural: 'secrets', namespace }),
      fieldSelector: `metadata.name=${name}`,
      take: secretContent,
      isGoneWhenForbidden: true,
      changed: () => {
        this.copy = null;
        this.options.changed();
      },
      ...(failed && { failed: (error) => failed(error, key) }),
      ...(times && { times }),
    });
  }
}

function secretContent({ metadata, type, data }: JsonObject): SecretContent | null {
  if (!isJsonObject(metadata)) return null;
  const { namespace, name, uid, resourceVersion, labels } = metadata;
  if (typeof namespace !== 'string' || typeof name !== 'string') return null;
  if (typeof uid !== 'string' || typeof resourceVersion !== 'string') return null;
  const isAllowed = isJsonObject(labels) && labels[CONSENT_LABEL] === CONSENT;
  const kind = typeof type === 'string' ? type : 'Opaque';
  return { namespace, name, uid, resourceVersion, type: kind, data: isAllowed ? bytesOf(data) : null };
}

function bytesOf(data: JsonObject[string] | undefined): ReadonlyMap<string, Uint8Array> {
  const bytes = new Map<string, Uint8Array>();
  if (!isJsonObject(data)) return bytes;
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === 'string') bytes.set(key, Buffer.from(value, 'base64'));
  }
  return bytes;
}
