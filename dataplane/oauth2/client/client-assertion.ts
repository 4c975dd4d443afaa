import { randomUUID } from 'node:crypto';
import type { Duration } from '../../../contract/duration.ts';
import { choice, duration, secretId } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import type { Request } from '../../engine/message/request.ts';
import type { CryptoKey, SecretsProvider } from '../../heap/objects/secrets.ts';
import { sign } from '../../jose/signature.ts';
import { signatureAlgorithms } from '../../jose/signature-algorithm.ts';
import { assertionClaims } from './assertion-claims.ts';
import { tellClient } from './client-form.ts';
import { endpointUrl } from './endpoint-url.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Fields of a client that proves itself with a signed JWT. */
export const assertionFields = {
  clientId: printable().describe('Client id of the gateway at the authorization server.'),
  tokenEndpoint: endpointUrl().describe(
    'URL of the token endpoint, which is the audience (`aud`) of the JWT, exactly as written. It does not change ' +
      'where requests are sent.',
  ),
  secretsProvider: ref('secretsProvider').describe('Provider of the keys; they are looked up for each request.'),
  signingSecretId: secretId().describe('Id of the key to sign with, a CryptoKey that may sign.'),
  signingAlgorithm: choice(signatureAlgorithms)
    .default('RS256')
    .describe('JWA algorithm of the signature; the key must support it.'),
  jwtExpirationTimeout: duration().prefault('1 minute').describe('Lifetime of a JWT.'),
  claims: assertionClaims()
    .default({})
    .describe(
      'Further claims of the JWT. `iss`, `sub`, `jti`, `iat` and `exp` are not allowed; `aud` replaces the URL of ' +
        'the token endpoint, for servers that require another audience.',
    ),
};

/** The fields as they are read. */
export interface AssertionConfig {
  readonly clientId: string;
  readonly tokenEndpoint: string;
  readonly signingSecretId: string;
  readonly signingAlgorithm: string;
  readonly jwtExpirationTimeout: Duration;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A JWT by which the client proves itself once (RFC 7523). Rejects when there is no key for it. */
export async function clientAssertion(config: AssertionConfig, provider: SecretsProvider): Promise<string> {
  const key = await provider.key('sign', config.signingSecretId);
  return signedAssertion(config, key, { kid: key.stableId });
}

/** The same with a key at hand. `named` is what the header says of it. @throws when the key cannot sign so. */
export function signedAssertion(
  config: Omit<AssertionConfig, 'signingSecretId'>,
  key: CryptoKey,
  named: { readonly kid?: string },
): string {
  const { clientId: id, tokenEndpoint, signingAlgorithm, jwtExpirationTimeout } = config;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: tokenEndpoint,
    ...config.claims,
    iss: id,
    sub: id,
    jti: randomUUID(),
    iat: now,
    exp: now + Math.max(1, Math.ceil(jwtExpirationTimeout.milliseconds / 1000)),
  };
  return sign({ typ: 'JWT', ...named }, JSON.stringify(claims), key, signingAlgorithm);
}

/** Puts an assertion into the form of a request. `type` is what messages call whoever asks for it. */
export function tellAssertion(request: Request, type: string, client: string, assertion: string): Promise<void> {
  return tellClient(request, type, [
    ['client_id', client],
    ['client_assertion_type', ASSERTION_TYPE],
    ['client_assertion', assertion],
  ]);
}
