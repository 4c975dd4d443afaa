import { z } from 'zod';
import { duration, flag } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import {
  type AccessToken,
  type AccessTokenResolver,
  invalidToken,
  resolvingBy,
  type TokenRefusal,
} from '../heap/access-tokens.ts';
import { shownThumbprint } from '../heap/certificate-thumbprint.ts';
import { defineService } from '../heap/definition.ts';
import type { Exchange } from '../http/exchange.ts';
import { isObject } from '../jose/strict-json.ts';
import { DpopVerifier } from './dpop-verifier.ts';

const dpop = z.strictObject({
  enabled: flag().default(true).describe('Whether tokens that are bound to a key are accepted with a proof.'),
  maxAge: duration({ max: '1 hour' })
    .prefault('1 minute')
    .describe('How old a proof may be. Every proof is accepted once while it is not older.'),
  skewAllowance: duration({ zero: true, max: '5 minutes' })
    .prefault('5 seconds')
    .describe('How much the clocks of clients may differ from this one.'),
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
    'in the header `DPoP`, signed with the key of this thumbprint for this method, this URI and this token. About ' +
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
    const proofs = config.dpop?.enabled === true ? new DpopVerifier(config.dpop, parts) : null;
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

/** Every member of `cnf` has to be one that can be verified, and is. */
function confirmKeys(token: AccessToken, exchange: Exchange, proofs: DpopVerifier | null): TokenRefusal | null {
  const cnf = token.info['cnf'];
  if (cnf === undefined) return proofs?.unbound(exchange) ?? null;
  const members = isObject(cnf) ? Object.entries(cnf) : [];
  if (members.length === 0) return invalidToken('the token is bound to nothing that can be verified');
  let isProven = false;
  for (const [name, value] of members) {
    if (name === 'x5t#S256') {
      if (typeof value !== 'string' || shownThumbprint(exchange) !== value) {
        return invalidToken('the token is bound to another certificate');
      }
    } else if (name === 'jkt' && proofs !== null && typeof value === 'string') {
      const refusal = proofs.judge(token.token, value, exchange);
      if (refusal !== null) return refusal;
      isProven = true;
    } else return invalidToken('the token is bound in a way that cannot be verified', `cnf has '${shownName(name)}'`);
  }
  return isProven ? null : (proofs?.unbound(exchange) ?? null);
}

function shownName(name: string): string {
  return /^[\w#.-]{1,40}$/.test(name) ? name : '…';
}
