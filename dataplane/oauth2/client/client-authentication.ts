import { createSecretKey } from 'node:crypto';
import { readDuration } from '../../../contract/duration.ts';
import type { Secret } from '../../../contract/secret.ts';
import type { Request } from '../../engine/message/request.ts';
import type { CryptoKey, SecretsProvider } from '../../heap/objects/secrets.ts';
import { basicCredentials } from './basic-credentials.ts';
import { clientAssertion, signedAssertion, tellAssertion } from './client-assertion.ts';
import { tellClient } from './client-form.ts';

/** How a client authenticates to an authorization server, by the names of RFC 7591 and RFC 8705. */
export const authenticationMethods = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'tls_client_auth',
  'none',
] as const;

export type AuthenticationMethod = (typeof authenticationMethods)[number];

export interface AuthenticatedClient {
  /** What messages call the object that authenticates. */
  readonly type: string;
  readonly clientId: string;
  readonly method: AuthenticationMethod;
  /** Provider of the secret or the key; null for methods that need none. */
  readonly provider: SecretsProvider | null;
  /** Id of the secret, or of the key for `private_key_jwt`. */
  readonly secretId: string | null;
  /** JWA algorithm of assertions. */
  readonly algorithm: string;
}

const ASSERTION_LIFETIME = readDuration('1 minute');

/**
 * Returns what puts the credentials of a client into a request. Secrets are asked for each time, so that a new one is
 * used at once. Rejects when there is none.
 * @param tokenEndpoint the audience of assertions
 */
export function clientAuthentication(
  client: AuthenticatedClient,
): (request: Request, tokenEndpoint: string) => Promise<void> {
  const { type, clientId, method, algorithm } = client;
  const provider = client.provider!;
  const secretId = client.secretId!;
  const assertion = (tokenEndpoint: string) => ({
    clientId,
    tokenEndpoint,
    signingSecretId: secretId,
    signingAlgorithm: algorithm,
    jwtExpirationTimeout: ASSERTION_LIFETIME,
    claims: {},
  });

  switch (method) {
    case 'client_secret_basic':
      return async (request) => {
        request.headers.set('Authorization', basicCredentials(clientId, await provider.active(secretId), true));
      };
    case 'client_secret_post':
      return async (request) => {
        const secret = await provider.active(secretId);
        await tellClient(request, type, [
          ['client_id', clientId],
          ['client_secret', secret.reveal()],
        ]);
      };
    case 'client_secret_jwt':
      return async (request, tokenEndpoint) => {
        const key = secretKey(await provider.active(secretId), secretId);
        await tellAssertion(request, type, clientId, signedAssertion(assertion(tokenEndpoint), key, {}));
      };
    case 'private_key_jwt':
      return async (request, tokenEndpoint) => {
        await tellAssertion(request, type, clientId, await clientAssertion(assertion(tokenEndpoint), provider));
      };
    default: // the handler shows the certificate of the client, or nothing proves it
      return (request) => tellClient(request, type, [['client_id', clientId]]);
  }
}

/** A client secret as the key of HMAC (OpenID Connect Core, section 9). */
function secretKey(secret: Secret, id: string): CryptoKey {
  return {
    kind: 'key',
    stableId: id,
    key: createSecretKey(secret.reveal()),
    certificates: [],
    usages: new Set(['sign']),
    algorithm: null,
    revocations: [],
  };
}
