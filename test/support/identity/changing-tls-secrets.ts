import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyManager, TlsKey, Trust, TrustManager } from '../../../dataplane/heap/objects/secrets.ts';
import type { Certified } from './certificates.ts';

/** A manager whose answer a test changes. */
interface Changing<T> {
  readonly manager: T;
  /** How many listeners it has. */
  readonly watchers: number;
}

export interface ChangingKeys extends Changing<KeyManager> {
  /** Other keys from now on; an error when there are none. */
  change(keys: readonly Certified[] | Error): void;
}

export interface ChangingTrust extends Changing<TrustManager> {
  change(trust: Partial<TrustWish> | Error): void;
}

/** Whom to trust, as PEM texts. */
export interface TrustWish {
  readonly certificates: readonly string[];
  readonly revocations: readonly string[];
  readonly checkRevocation: boolean;
  readonly everything: boolean;
}

export function changingKeys(...keys: readonly Certified[]): ChangingKeys {
  const { ask, watch, change, watchers } = changing<readonly TlsKey[]>(keys.map(tlsKey));
  return {
    manager: { keys: ask, watch },
    change: (to) => change(to instanceof Error ? to : to.map(tlsKey)),
    get watchers() {
      return watchers();
    },
  };
}

export function changingTrust(wish: Partial<TrustWish>): ChangingTrust {
  const { ask, watch, change, watchers } = changing<Trust>(trustOf(wish));
  return {
    manager: { trust: ask, watch },
    change: (to) => change(to instanceof Error ? to : trustOf(to)),
    get watchers() {
      return watchers();
    },
  };
}

/** A key with its certificates, as a manager gives it. */
export function tlsKey({ key, chain }: Certified): TlsKey {
  const certificates = chain.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return { privateKey: createPrivateKey(key), certificates: certificates.map((pem) => new X509Certificate(pem)) };
}

function trustOf({
  certificates = [],
  revocations = [],
  checkRevocation,
  everything = false,
}: Partial<TrustWish>): Trust {
  return {
    certificates: certificates.map((pem) => new X509Certificate(pem)),
    revocations,
    checkRevocation: checkRevocation ?? revocations.length > 0,
    everything,
  };
}

function changing<T>(first: T) {
  let now: T | Error = first;
  const listeners = new Set<() => void>();
  return {
    ask: async (): Promise<T> => {
      if (now instanceof Error) throw now;
      return now;
    },
    watch(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(to: T | Error): void {
      now = to;
      for (const listener of listeners) listener();
    },
    watchers: () => listeners.size,
  };
}
