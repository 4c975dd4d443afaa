import { z } from 'zod';
import { duration, flag, secretId } from '../../contract/vocabulary/configured.ts';
import { needs } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { defineService, type Parts } from '../heap/definition.ts';
import {
  type AccessToken,
  type AccessTokenResolver,
  invalidToken,
  resolvingBy,
  type TokenRefusal,
} from '../heap/objects/access-tokens.ts';
import { shownThumbprint } from '../heap/objects/certificate-thumbprint.ts';
import { isObject } from '../jose/strict-json.ts';
import { type DpopOptions, DpopVerifier } from './dpop-verifier.ts';

const dpop = z.strictObject({
  enabled: flag().default(true).describe('Whether DPoP-bound tokens are accepted, with a proof.'),
  maxAge: duration({ max: '1 hour' })
    .prefault('1 minute')
    .describe('Maximum age of a proof. Each proof is accepted only once.'),
  skewAllowance: duration({ zero: true, max: '5 minutes' })
    .prefault('5 seconds')
    .describe('Allowed difference between the clocks of clients and the gateway.'),
  nonce: z
    .strictObject({
      maxAge: duration({ max: '1 hour' }).prefault('5 minutes').describe('Lifetime of a nonce.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the secret that signs nonces.'),
      secretId: secretId()
        .optional()
        .describe(
          'Id of the secret, 32 random bytes. Set it if clients use several gateways: without it each gateway accepts ' +
            'only its own nonces.',
        ),
    })
    .check(needs('secretId', 'secretsProvider'), needs('secretsProvider', 'secretId'))
    .optional()
    .describe(
      'Requires a nonce in every proof (RFC 9449, section 9). A proof without a current nonce gets 401, ' +
        '`error="use_dpop_nonce"` and a nonce in the header `DPoP-Nonce`.',
    ),
});

/** Lets only those use a token that is bound to a key who have shown that they have the key. */
export const confirmationKeyVerifierAccessTokenResolver = defineService({
  type: 'ConfirmationKeyVerifierAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Validates an access token with another resolver, and then checks for each request whether the client may ' +
    'use it. A token with `x5t#S256` in `cnf` (RFC 8705) is bound to the client certificate with this ' +
    'thumbprint. The certificate comes from the TLS handshake or, behind a proxy, from a ' +
    'CertificateThumbprintFilter. With `dpop`, a token with `jkt` in `cnf` (RFC 9449) must be sent as ' +
    '`Authorization: DPoP …` with a new proof in the header `DPoP`, signed with the key of this thumbprint for ' +
    'this method, URI and token. An invalid proof gets 401 and `DPoP error="invalid_dpop_proof"`. All units of a ' +
    'gateway together remember about 300,000 proofs; beyond that new proofs are rejected. A token without `cnf` ' +
    'needs no confirmation; a token with any other `cnf` is rejected.',
  config: z.strictObject({
    delegate: ref('accessTokenResolver').describe('Resolver that validates the token.'),
    dpop: dpop.optional().describe('Accepts tokens that are bound to a key of the client, with DPoP proofs.'),
  }),
  examples: [
    {
      title: 'Tokens of an authorization server, bound to certificates or to keys',
      config: {
        delegate: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: 'https://as.example.com/introspect', providerHandler: 'ClientHandler' },
        },
        dpop: { maxAge: '30 seconds' },
      },
    },
  ],
  create(config, parts): AccessTokenResolver {
    const delegate = parts.resolve(config.delegate);
    const proofs = config.dpop?.enabled === true ? new DpopVerifier(dpopOptions(config.dpop, parts), parts) : null;
    const { schemes = [], challenges = [] } = delegate;
    return {
      ...resolvingBy(delegate, (token, exchange) => delegate.resolve(token, exchange)),
      confirm(token, exchange) {
        const first = delegate.confirm?.(token, exchange) ?? null;
        if (first instanceof Promise) return first.then((refusal) => refusal ?? confirmKeys(token, exchange, proofs));
        return first ?? confirmKeys(token, exchange, proofs);
      },
      schemes: proofs === null ? schemes : [...schemes, ...proofs.schemes],
      challenges: proofs === null ? challenges : [...challenges, ...proofs.challenges],
    };
  },
});

function dpopOptions({ maxAge, skewAllowance, nonce }: z.infer<typeof dpop>, parts: Parts): DpopOptions {
  const times = { maxAge: maxAge.milliseconds, skew: skewAllowance.milliseconds };
  if (nonce === undefined) return { ...times, nonce: null };
  const { secretsProvider, secretId: id } = nonce;
  const secret =
    secretsProvider === undefined || id === undefined ? null : { provider: parts.resolve(secretsProvider), id };
  return { ...times, nonce: { maxAge: nonce.maxAge.milliseconds, secret } };
}

/** Every member of `cnf` has to be one that can be verified, and is. */
function confirmKeys(
  token: AccessToken,
  exchange: Exchange,
  proofs: DpopVerifier | null,
): TokenRefusal | null | Promise<TokenRefusal | null> {
  const cnf = token.info['cnf'];
  if (cnf === undefined) return proofs?.unbound(exchange) ?? null;
  const members = isObject(cnf) ? Object.entries(cnf) : [];
  if (members.length === 0) return invalidToken('the token is bound to nothing that can be verified');
  let thumbprint: string | null = null;
  for (const [name, value] of members) {
    if (name === 'x5t#S256') {
      if (typeof value !== 'string' || shownThumbprint(exchange) !== value) {
        return invalidToken('the token is bound to another certificate');
      }
    } else if (name === 'jkt' && proofs !== null && typeof value === 'string') thumbprint = value;
    else return invalidToken('the token is bound in a way that cannot be verified', `cnf has '${shownName(name)}'`);
  }
  // the proof comes last: judging it uses it up
  if (thumbprint !== null) return proofs!.judge(token.token, thumbprint, exchange);
  return proofs?.unbound(exchange) ?? null;
}

function shownName(name: string): string {
  return /^[\w#.-]{1,40}$/.test(name) ? name : '…';
}
