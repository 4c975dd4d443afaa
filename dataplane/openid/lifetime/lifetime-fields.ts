import { z } from 'zod';
import { choice, duration, flag, secretId } from '../../../contract/vocabulary/configured.ts';
import { proofAlgorithms } from '../../oauth2/dpop-proof.ts';

/** Fields of a client for the time after a sign-in. */
export const lifetimeFields = {
  cacheExpiration: duration({ zero: true })
    .prefault('10 minutes')
    .describe('How long the answer of the user info endpoint is used. `zero` asks for every request.'),
  revokeOauth2TokenOnLogout: flag()
    .default(false)
    .describe(
      'Revokes refresh token and access token at the provider when a user signs out (RFC 7009). A revocation that fails ' +
        'is logged, and the user is signed out all the same.',
    ),
  openIdEndSessionOnLogout: flag()
    .default(false)
    .describe(
      'Sends a user who signs out to the `end_session_endpoint` of the provider, which ends its own session and then ' +
        'redirects to the URL after the sign-out. The provider must know that URL.',
    ),
  proofOfPossession: z
    .strictObject({
      secretId: secretId()
        .optional()
        .describe(
          'Id of the private key in `secretsProvider`, a CryptoKey that may sign. All replicas must have the same key. ' +
            'Without it the gateway makes up a key at its start; other replicas cannot use its tokens.',
        ),
      algorithm: choice(proofAlgorithms)
        .default('ES256')
        .describe('JWA algorithm of the proofs; the key must support it.'),
    })
    .optional()
    .describe(
      'Binds tokens to a key of the gateway (DPoP, RFC 9449), so that a stolen token is worth nothing without the key. ' +
        'The gateway sends a proof to the token endpoint and, with tokens of the type `DPoP`, to the user info endpoint. ' +
        'A provider without DPoP ignores it and issues bearer tokens.',
    ),
};

/** The fields whose values depend on each other. */
interface LifetimeConfig {
  readonly proofOfPossession?: { readonly secretId?: string | undefined; readonly algorithm: string } | undefined;
  readonly secretsProvider?: unknown;
}

/** What the fields lack: the field and the message. */
export function lifetimeFaults({
  proofOfPossession,
  secretsProvider,
}: LifetimeConfig): (readonly [field: string, message: string])[] {
  if (proofOfPossession === undefined) return [];
  const { secretId: id, algorithm } = proofOfPossession;
  if (id !== undefined && secretsProvider === undefined) {
    return [['secretsProvider', "is required: 'secretId' of 'proofOfPossession' needs it"]];
  }
  if (id !== undefined || algorithm === 'ES256') return [];
  return [
    ['proofOfPossession', `must have a 'secretId': the key that the gateway makes up is for ES256, not ${algorithm}`],
  ];
}
