import type { X509Certificate } from 'node:crypto';

/** A key as it comes out of a keystore. The bytes are the key itself: whoever takes them answers for where they go. */
export type RecoveredKey =
  | { readonly kind: 'private'; readonly pkcs8: Buffer }
  | { readonly kind: 'secret'; readonly algorithm: string; readonly bytes: Buffer };

/** A key under an alias, still encrypted. */
export interface KeyEntry {
  readonly kind: 'private' | 'secret';
  readonly alias: string;
  /** The chain as Java builds it, the certificate of the key first; empty for secret keys and keys without one. */
  readonly certificates: readonly X509Certificate[];
  /** Decrypts it; null is no password. @throws KeystoreProblem, or WrongPassword */
  recover(password: string | null): Promise<RecoveredKey>;
}

/** A certificate under an alias, there to be trusted. */
export interface CertificateEntry {
  readonly kind: 'certificate';
  readonly alias: string;
  readonly certificates: readonly [X509Certificate];
}

export type KeystoreEntry = KeyEntry | CertificateEntry;

/** Content of a keystore. */
export interface Keystore {
  /** By alias, as Java lists them. */
  readonly entries: ReadonlyMap<string, KeystoreEntry>;
  /** What of the file is left out and why, for the log. */
  readonly notes: readonly string[];
}
