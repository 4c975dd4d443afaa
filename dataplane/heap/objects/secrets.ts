import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Secret } from '../../../contract/secret.ts';

/** Usage of a key. */
export type KeyUsage = 'sign' | 'verify' | 'encrypt' | 'decrypt' | 'wrapKey' | 'unwrapKey' | 'agreeKey';

/** Purpose of a secret: its bytes, or a key with a usage. */
export type SecretPurpose = 'generic' | KeyUsage;

/** A password, a passphrase or any other bytes. */
export interface GenericSecret {
  readonly kind: 'generic';
  /** Tells it from the others under its id, also when it is read again. */
  readonly stableId: string;
  readonly bytes: Secret;
}

/** A key with what it may be used for. Its value stays inside of `key`, which neither prints nor serialises. */
export interface CryptoKey {
  readonly kind: 'key';
  /** Tells it from the others under its id, also when it is read again; the two halves of a pair share it. */
  readonly stableId: string;
  readonly key: KeyObject;
  /** The chain of the key, its own certificate first; empty when there is none. */
  readonly certificates: readonly X509Certificate[];
  readonly usages: ReadonlySet<KeyUsage>;
  /** The one algorithm of JWA that it says it is for, or null when it does not say: then its type decides. */
  readonly algorithm: string | null;
  /** The lists of revoked certificates that came with it, in PEM. */
  readonly revocations: readonly string[];
}

export type StoredSecret = GenericSecret | CryptoKey;

/**
 * Where objects get secrets from. Ask for every use and keep nothing: what is asked for again is at hand while its lease
 * lasts, and what did not change is the same object. Every promise rejects with `NoSuchSecret` when there is nothing
 * under the id that the purpose allows, and with another error when that cannot be said.
 */
export interface SecretsProvider {
  /** The bytes to use. */
  active(id: string): Promise<Secret>;
  /** All bytes to accept, those to use first; at least one. */
  valid(id: string): Promise<readonly Secret[]>;
  /** The key to use. */
  key(usage: KeyUsage, id: string): Promise<CryptoKey>;
  /** All keys to try, the one to use first; at least one. */
  keys(usage: KeyUsage, id: string): Promise<readonly CryptoKey[]>;
  /** The same without waiting, and none where there are none; null where that cannot be said at once. */
  keysAtHand?(usage: KeyUsage, id: string): readonly CryptoKey[] | null;
  /** The key under the id that has this stable id. */
  named(usage: KeyUsage, id: string, stableId: string): Promise<CryptoKey>;
  /** Tells when something may have changed or a lease is over, whatever its id: ask again. The result ends it. */
  watch(listener: () => void): () => void;
}

/** One place that secrets are kept in. It can stand where a provider is wanted. */
export interface SecretStore extends SecretsProvider {
  /** What messages call it. */
  readonly name: string;
}

/** Turns what a store keeps under an id into secrets, those to use first. */
export interface PropertyFormat {
  /** @throws an error that says what is wrong and nothing of the value. */
  decode(id: string, value: Uint8Array): Promise<readonly StoredSecret[]>;
}

/** A private key with its certificate, for one side of a TLS connection. */
export interface TlsKey {
  readonly privateKey: KeyObject;
  /** The chain, the certificate of the key first; at least one. */
  readonly certificates: readonly X509Certificate[];
}

/** Which keys one side of TLS connections shows. */
export interface KeyManager {
  /** At least one. Rejects when there is none. */
  keys(): Promise<readonly TlsKey[]>;
  /** Tells when they may have changed; the result ends it. */
  watch(listener: () => void): () => void;
}

/** Trust settings of one side of TLS connections. */
export interface Trust {
  /** Trusted for themselves and for what they issued. */
  readonly certificates: readonly X509Certificate[];
  /** Lists of revoked certificates in PEM. */
  readonly revocations: readonly string[];
  /** Whether every certificate must be covered by one of the lists and stand in none. */
  readonly checkRevocation: boolean;
  /** Whether every certificate is believed, whoever issued it. */
  readonly everything: boolean;
}

/** Provides the CA certificates that one side of TLS connections trusts. */
export interface TrustManager {
  /** Rejects when it cannot be said; nobody is trusted then. */
  trust(): Promise<Trust>;
  /** Tells when it may have changed; the result ends it. */
  watch(listener: () => void): () => void;
}

const PURPOSES: Readonly<Record<SecretPurpose, string>> = {
  generic: 'of the kind GenericSecret',
  sign: 'that may sign',
  verify: 'that may verify',
  encrypt: 'that may encrypt',
  decrypt: 'that may decrypt',
  wrapKey: 'that may wrap keys',
  unwrapKey: 'that may unwrap keys',
  agreeKey: 'that may agree on keys',
};

/** There is nothing under an id that a purpose allows. */
export class NoSuchSecret extends Error {
  readonly id: string;
  readonly purpose: SecretPurpose;
  /** The names of the stores that were asked. */
  readonly stores: readonly string[];
  /** What is there instead, or which place was looked at, or null. */
  readonly found: string | null;

  constructor(id: string, purpose: SecretPurpose, stores: readonly string[], found: string | null = null) {
    const where = stores.map((store) => `'${store}'`).join(', ');
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0; // clients decide by their tokens how often it is made, and where tells nobody anything
    super(`there is no secret '${id}' ${PURPOSES[purpose]} in ${where}${found === null ? '' : `: ${found}`}`);
    Error.stackTraceLimit = limit;
    this.name = 'NoSuchSecret';
    this.id = id;
    this.purpose = purpose;
    this.stores = stores;
    this.found = found;
  }
}

/** It cannot be said what is under an id. */
export class UnreadableSecret extends Error {
  readonly id: string;
  readonly store: string;

  /** Whether nothing is wrong but that it is empty, which a password may be. */
  readonly isEmpty: boolean;

  constructor(id: string, store: string, reason: string, isEmpty = false) {
    super(`the secret '${id}' of '${store}' cannot be read: ${reason}`);
    this.name = 'UnreadableSecret';
    this.isEmpty = isEmpty;
    this.id = id;
    this.store = store;
  }
}
