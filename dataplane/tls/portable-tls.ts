import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { PortableTls } from '../heap/objects/tls.ts';
import { type ContextParts, withContextOptions } from './context-options.ts';
import { tlsRules } from './options/tls-rules.ts';
import { platformAuthorities } from './platform-trust.ts';

/** Returns TLS settings as plain data. */
export function portableTls(parts: ContextParts, checksNames: boolean): PortableTls {
  return withContextOptions(parts, ({ minVersion, maxVersion, ciphers, ca, crl, cert, key }) => ({
    minVersion: minVersion ?? null,
    maxVersion: maxVersion ?? null,
    ciphers: ciphers ?? null,
    authorities: parts.trust === null ? null : texts(ca),
    revocations: texts(crl),
    chains: texts(cert),
    keys: texts(key),
    trustsAll: parts.trust?.everything ?? false,
    checksNames,
  }));
}

/** TLS settings where a configuration has none: the CA certificates of the platform, and strict host names. */
export function platformTls(): PortableTls {
  return portableTls({ rules: tlsRules({}), keys: [], trust: null }, true);
}

/** Makes a context of plain data. */
export function portableContext(tls: PortableTls): SecureContext {
  const { minVersion, maxVersion, ciphers, authorities, revocations, chains, keys } = tls;
  return createSecureContext({
    ...(minVersion === null ? {} : { minVersion }),
    ...(maxVersion === null ? {} : { maxVersion }),
    ...(ciphers === null ? {} : { ciphers }),
    ...(authorities === null ? { ca: [...platformAuthorities()] } : trusted(authorities)),
    ...(revocations.length === 0 ? {} : { crl: [...revocations] }),
    ...(keys.length === 0 ? {} : { cert: [...chains], key: [...keys] }),
  });
}

function trusted(authorities: readonly string[]): SecureContextOptions {
  return authorities.length === 0 ? {} : { ca: [...authorities], allowPartialTrustChain: true };
}

function texts(value: unknown): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
