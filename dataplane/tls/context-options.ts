import { createHash, type KeyObject } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsKey, Trust } from '../heap/objects/secrets.ts';
import { withKeyPem } from './key-pem.ts';
import type { TlsRules } from './options/tls-rules.ts';
import { platformAuthorities } from './platform-trust.ts';

/** Parts of the TLS context of a connection. */
export interface ContextParts {
  readonly rules: TlsRules;
  /** At most one of a type is used. */
  readonly keys: readonly TlsKey[];
  /** Null for the authorities of the platform. */
  readonly trust: Trust | null;
}

/** Nobody is asked, so nobody is trusted, and the authorities of the platform need not be loaded. */
export const NOBODY: Trust = { certificates: [], revocations: [], checkRevocation: false, everything: true };

/** The same text for parts that make the same context. Nothing can be learnt of a key from it. */
export function fingerprint(parts: ContextParts, ...more: readonly string[]): string {
  const { rules, keys, trust } = parts;
  const hash = createHash('sha256');
  const certificates = keys.map((key) => key.certificates.map((certificate) => certificate.fingerprint256));
  hash.update(JSON.stringify([rules, certificates, trust === null ? null : trustText(trust), more]));
  return hash.digest('hex');
}

/** The same text for the same trust. */
export function trustText({ certificates, revocations, checkRevocation, everything }: Trust): string {
  return JSON.stringify([certificates.map((one) => one.fingerprint256), revocations, checkRevocation, everything]);
}

/** Several managers as one: what one of them trusts is trusted, and lists count for all as soon as one uses them. */
export function joinedTrust(trusts: readonly Trust[]): Trust | null {
  if (trusts.length === 0) return null;
  return {
    certificates: trusts.flatMap((trust) => trust.certificates),
    revocations: trusts.flatMap((trust) => trust.revocations),
    checkRevocation: trusts.some((trust) => trust.checkRevocation),
    everything: trusts.some((trust) => trust.everything),
  };
}

/** Hands what `createSecureContext` takes to `use`; the keys in it are gone when that returns. */
export function withContextOptions<T>(
  { rules, keys, trust }: ContextParts,
  use: (options: SecureContextOptions) => T,
): T {
  const shown = onePerType(keys);
  const cert = shown.map(({ certificates }) => certificates.map(String).join(''));
  const privateKeys = shown.map(({ privateKey }) => privateKey);
  return withKeyPems(privateKeys, [], (key) =>
    use({ ...rules, ...trustOptions(trust), ...(key.length === 0 ? {} : { cert, key: [...key] }) }),
  );
}

function withKeyPems<T>(keys: readonly KeyObject[], pems: readonly Buffer[], use: (pems: readonly Buffer[]) => T): T {
  const [first, ...rest] = keys;
  return first === undefined ? use(pems) : withKeyPem(first, (pem) => withKeyPems(rest, [...pems, pem], use));
}

/** OpenSSL has room for one key of each type: the first is the one to use. */
export function onePerType(keys: readonly TlsKey[]): TlsKey[] {
  const byType = new Map<string, TlsKey>();
  for (const key of keys) {
    const type = key.privateKey.asymmetricKeyType ?? '';
    if (!byType.has(type)) byType.set(type, key);
  }
  return [...byType.values()];
}

function trustOptions(trust: Trust | null): SecureContextOptions {
  if (trust === null) return { ca: [...platformAuthorities()] };
  if (trust.everything) return {};
  if (trust.checkRevocation && trust.revocations.length === 0) {
    throw new Error('revocation is to be checked, but there is no CRL');
  }
  const ca = trust.certificates.map(String);
  if (ca.length === 0) throw new Error('there is no certificate to trust');
  const crl = trust.checkRevocation ? { crl: [...trust.revocations] } : {};
  return { ca, ...crl, allowPartialTrustChain: true };
}
