import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import type { CipherSuite } from './cipher-suites.ts';

/** The versions that are spoken here, from the oldest. Older ones protect nothing, and OpenSSL refuses them. */
export const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

export type TlsVersion = (typeof VERSIONS)[number];

/** TLS versions and cipher suites of a configuration. */
export interface TlsWishes {
  readonly sslCipherSuites?: readonly (CipherSuite | null)[] | undefined;
  readonly sslContextAlgorithm?: readonly TlsVersion[] | undefined;
  readonly sslEnabledProtocols?: readonly TlsVersion[] | undefined;
}

/** Versions and cipher suites, as OpenSSL wants to be told. */
export type TlsRules = Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;

/** The versions that both the protocols and the cipher suites leave. */
export function spokenVersions({ sslCipherSuites, sslContextAlgorithm, sslEnabledProtocols }: TlsWishes): TlsVersion[] {
  const enabled = sslEnabledProtocols ?? sslContextAlgorithm ?? VERSIONS;
  const suites = sslCipherSuites?.flatMap((suite) => suite ?? []);
  return VERSIONS.filter(
    (version) =>
      enabled.includes(version) && (suites === undefined || suites.some(({ protocol }) => protocol === version)),
  );
}

/** @throws when nothing is left to be spoken, which the schema refuses before. */
export function tlsRules(wishes: TlsWishes): TlsRules {
  const versions = spokenVersions(wishes);
  const [minVersion] = versions;
  const maxVersion = versions.at(-1);
  if (minVersion === undefined || maxVersion === undefined)
    throw new Error('none of the cipher suites belongs to an allowed version of TLS');
  const suites = wishes.sslCipherSuites?.flatMap((suite) => suite?.name ?? []);
  return { minVersion, maxVersion, ciphers: suites?.join(':') ?? standardCiphers() };
}

/** Whether anybody can be shown a certificate with a key of this type: the cipher suites of TLS 1.2 are each for one. */
export function canBeShown({ maxVersion, ciphers = '' }: TlsRules, keyType: string): boolean {
  if (maxVersion === 'TLSv1.3') return true;
  const isRsa = keyType.startsWith('rsa');
  return ciphers.split(':').some((suite) => {
    if (suite.startsWith('TLS_')) return false;
    if (suite.includes('ECDSA')) return !isRsa;
    return suite.includes('RSA') || suite.startsWith('AES') ? isRsa : true;
  });
}

/** What the runtime offers, with the cheapest suite of TLS 1.3 first: it protects well enough and costs least. */
function standardCiphers(): string {
  const first = 'TLS_AES_128_GCM_SHA256';
  return [first, ...DEFAULT_CIPHERS.split(':').filter((name) => name !== first)].join(':');
}
