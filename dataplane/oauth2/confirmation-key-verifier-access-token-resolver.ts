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
  enabled: flag().default(true).describe('Whether tokens that are bound to a key are accepted with a proof.'),
  maxAge: duration({ max: '1 hour' })
    .prefault('1 minute')
    .describe('How old a proof may be. Every proof is accepted once while it is not older.'),
  skewAllowance: duration({ zero: true, max: '5 minutes' })
    .prefault('5 seconds')
    .describe('How much the clocks of clients may differ from this one.'),
  nonce: z
    .strictObject({
      maxAge: duration({ max: '1 hour' }).prefault('5 minutes').describe('How long a nonce is accepted.'),
      secretsProvider: ref('secretsProvider')
        .optional()
        .describe('Provider of the secret that nonces are signed with.'),
      secretId: secretId()
        .optional()
        .describe(
          'Id of the secret, 32 random bytes. Give it where clients reach several gateways: without it each gateway ' +
            'accepts only the nonces that it issued.',
        ),
    })
    .check(needs('secretId', 'secretsProvider'), needs('secretsProvider', 'secretId'))
    .optional()
    .describe(
      'Requires a nonce in every proof (RFC 9449, section 9). A proof without a current one is answered with 401, ' +
        '`error="use_dpop_nonce"` and a nonce in the header `DPoP-Nonce`.',
    ),
});

/** Lets only those use a token that is bound to a key who have shown that they have the key. */
export const confirmationKeyVerifierAccessTokenResolver = defineService({
  type: 'ConfirmationKeyVerifierAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Asks another resolver about an access token, and then, for each request, whether the client may use it. A token ' +
    'whose `cnf` has `x5t#S256` (RFC 8705) is for the client that has shown the certificate with this thumbprint, at ' +
    'the TLS handshake or to a proxy in front of the gateway, of which a CertificateThumbprintFilter tells. With ' +
    '`dpop`, a token whose `cnf` has `jkt` (RFC 9449) has to come as `Authorization: DPoP …` together with a new proof ' +
    'in the header `DPoP`, signed with the key of this thumbprint for this method, this URI and this token. A bad proof ' +
    'is answered with 401 and `DPoP error="invalid_dpop_proof"`. About ' +
    '300,000 proofs can be remembered at a time, by all units of a gateway together; when there is no room for ' +
    'another one, it is refused. A token without `cnf` needs no confirmation, and one whose `cnf` says anything else ' +
    'is refused.',
  config: z.strictObject({
    delegate: ref('accessTokenResolver').describe('Says what the token is worth.'),
    dpop: dpop.optional().describe('Accepts tokens that are bound to a key of the client, with proofs (DPoP).'),
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
