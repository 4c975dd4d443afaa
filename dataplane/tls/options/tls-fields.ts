import { z } from 'zod';
import { didYouMean } from '../../../contract/did-you-mean.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { choice, flag, readConfigured, shown, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { type Kind, kinds, Reference, ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import type { Remark } from '../../heap/definition.ts';
import { type CipherSuite, cipherSuite, cipherSuiteNames, isGone, javaName } from './cipher-suites.ts';
import { spokenVersions, type TlsVersion, type TlsWishes, VERSIONS } from './tls-rules.ts';

/** One object of a kind, or several. */
export type OneOrMore<K extends Kind> = Reference<K> | readonly Reference<K>[];

export function oneOrMore<K extends Kind>(kind: K): z.ZodType<OneOrMore<K>, unknown> {
  return z.union([ref(kind), z.array(ref(kind)).min(1)]).meta({ label: `${kinds[kind]} reference(s)` });
}

/** Values of such a field, as a list. */
export function allOf<K extends Kind>(references: OneOrMore<K> | undefined): readonly Reference<K>[] {
  if (references === undefined) return [];
  return references instanceof Reference ? [references] : references;
}

/** Versions that Java knows and that are no longer spoken. */
const OLD = ['TLSv1', 'TLSv1.1', 'SSLv3', 'SSLv2', 'SSLv2Hello'];

function protocol(): z.ZodType<TlsVersion, unknown> {
  return configuredName('enumeration', VERSIONS, (name) => {
    const version = VERSIONS.find((one) => one === name);
    if (version !== undefined) return version;
    throw unknownVersion(name, VERSIONS);
  });
}

/** Algorithms of Java's SSLContext, and the versions that they stand for. */
const ALGORITHMS: Readonly<Record<string, readonly TlsVersion[]>> = {
  TLS: VERSIONS,
  Default: VERSIONS,
  SSL: VERSIONS,
  'TLSv1.3': VERSIONS,
  'TLSv1.2': ['TLSv1.2'],
};

function algorithm(): z.ZodType<readonly TlsVersion[], unknown> {
  const names = Object.keys(ALGORITHMS);
  return configuredName('string', names, (name) => {
    const versions = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined;
    if (versions !== undefined) return versions;
    throw unknownVersion(name, names);
  });
}

function unknownVersion(name: string, names: readonly string[]): ValueProblem {
  if (OLD.includes(name)) {
    return new ValueProblem(
      'value',
      `must not be '${name}', which is not secure any more: use ${VERSIONS.join(' or ')}`,
    );
  }
  return withHint(`must be one of ${names.join(', ')}, not ${shown(name)}`, didYouMean(name, names));
}

function suite(): z.ZodType<CipherSuite | null, unknown> {
  return configuredName('string', null, (name) => {
    const found = cipherSuite(name);
    if (found !== undefined) return found;
    if (isGone(name))
      throw new ValueProblem('value', `the cipher suite ${shown(name)} is not supported: it is not secure`);
    const meant = javaName(name) ?? didYouMean(name, cipherSuiteNames());
    throw withHint(`there is no cipher suite ${shown(name)}; suites are named as in Java`, meant);
  });
}

function configuredName<T>(
  type: string,
  names: readonly string[] | null,
  read: (name: string) => T,
): z.ZodType<T, unknown> {
  const json =
    names === null ? { type: 'string' } : { anyOf: [{ enum: names }, { type: 'string', pattern: '[$#]\\{' }] };
  return leaf(`configuration expression<${type}>`, json, (value) =>
    readConfigured(value, (name) => {
      if (typeof name !== 'string') throw wrongType('a string', name);
      return read(name);
    }),
  );
}

function withHint(message: string, meant: string | undefined): ValueProblem {
  return new ValueProblem('value', message, meant === undefined ? undefined : `did you mean '${meant}'?`);
}

/** Fields of all TLS options about versions and cipher suites. */
export const protocolFields = {
  sslCipherSuites: z
    .array(suite())
    .min(1)
    .optional()
    .describe(
      'Allowed cipher suites by their names in Java, such as `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`; by default ' +
        'the secure ones of OpenSSL.',
    ),
  sslContextAlgorithm: algorithm()
    .optional()
    .describe('`TLS` for every version, or `TLSv1.2` to exclude TLS 1.3; `sslEnabledProtocols` overrides it.'),
  sslEnabledProtocols: z
    .array(protocol())
    .min(1)
    .optional()
    .describe('Allowed versions: `TLSv1.2`, `TLSv1.3`; by default both. Older versions are not supported.'),
};

export const alpnField = z
  .strictObject({ enabled: flag().default(true).describe('Whether the protocol is negotiated (ALPN).') })
  .prefault({})
  .describe('Negotiation of HTTP/2 or HTTP/1.1 in the handshake.');

export const hostnameVerifier = choice(['STRICT', 'ALLOW_ALL']);

/** Remarks on such a choice. */
export function verifierRemarks(verifier: z.output<typeof hostnameVerifier> | undefined): readonly Remark[] {
  if (verifier !== 'ALLOW_ALL') return [];
  const message = 'is for tests: anyone with a certificate of a trusted CA can impersonate the backend';
  return [{ at: ['hostnameVerifier'], code: 'insecure', message }];
}

/** The allowed versions must leave something to be spoken with the allowed cipher suites. */
export function somethingSpoken(): z.core.$ZodCheck<TlsWishes> {
  return rulesAbout(['sslCipherSuites', 'sslContextAlgorithm', 'sslEnabledProtocols'], (value, add) => {
    if (value.sslCipherSuites === undefined || spokenVersions(value).length > 0) return;
    add(['sslCipherSuites'], 'none of these cipher suites belongs to an allowed version of TLS');
  });
}
