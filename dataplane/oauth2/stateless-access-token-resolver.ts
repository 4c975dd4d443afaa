import { z } from 'zod';
import { duration, flag, secretId, text } from '../../contract/vocabulary/configured.ts';
import { deprecated } from '../../contract/vocabulary/field-notes.ts';
import { exclusive, needs } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { clearTextRemarks } from '../heap/clear-text-remark.ts';
import { defineService } from '../heap/definition.ts';
import { invalidToken, type Resolution } from '../heap/objects/access-tokens.ts';
import type { KeyUsage, SecretsProvider } from '../heap/objects/secrets.ts';
import { type Claims, readClaims, timeClaim, timeFault } from '../jose/claims.ts';
import { issuerFault } from '../openid/issuer-url.ts';
import { keysOfIssuer } from '../openid/published-keys.ts';
import {
  ACCESS_TOKENS,
  decryptedPayload,
  isTokenFault,
  ONLY_ACCESS_TOKENS,
  type TokenFault,
  verifiedPayload,
} from './token-payload.ts';
import { requirementFields, requirementsOf } from './token-requirements.ts';
import { scopesOf } from './token-scopes.ts';
import { watchKeys } from './watched-keys.ts';

const SECRET_IDS = ['verificationSecretId', 'decryptionSecretId', 'signatureSecretId', 'encryptionSecretId'] as const;

const LISTED_IDS = "'verificationSecretId', 'decryptionSecretId', 'signatureSecretId' and 'encryptionSecretId'";
const DEFAULT_HANDLER = 'ClientHandler';

/** The id that keys of an issuer are asked for by; a JWK set does not look at it. */
const ISSUER_KEYS = 'issuer.keys';

/** What keys do with encrypted tokens, and with those that are signed inside of them. */
const OPENING: readonly KeyUsage[] = ['decrypt', 'unwrapKey', 'agreeKey', 'verify'];

/** Judges access tokens that are JWTs by themselves. */
export const statelessAccessTokenResolver = defineService({
  type: 'StatelessAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Validates access tokens that are JWTs without contacting the authorization server: signature or encryption, ' +
    'issuer and times. If the `kid` of a token names a key, only this key is tried. Without `kid`, or with an ' +
    'unknown one, all keys of the secret id are tried in order. The key must support the algorithm of the token. ' +
    'Tokens with the algorithm `none`, with extensions (`crit`, `b64`) or with the `typ` of another kind of ' +
    'token are rejected. Keys in the token, or URLs of keys (`jwk`, `jku`, `x5c`, `x5u`), are neither used nor ' +
    'fetched. The claims are in `contexts.oauth2.accessToken.info`; `scope` may be a text with spaces or an ' +
    'array. A revoked token is accepted until it expires, because the authorization server is not contacted.',
  config: z
    .strictObject({
      issuer: text().describe(
        'What `iss` of a token must be, character by character. Without a `secretsProvider` it is the URL of the issuer, ' +
          'whose keys are found by its metadata (OpenID Connect Discovery, RFC 8414).',
      ),
      ...requirementFields,
      requireAccessTokenType: flag()
        .default(false)
        .describe(
          'Requires `typ` to be `at+jwt` (RFC 9068). Otherwise tokens with `JWT` or without `typ` are accepted too; ' +
            'these may be other kinds of token with the same issuer and keys.',
        ),
      secretsProvider: ref('secretsProvider')
        .optional()
        .describe('Where the keys are. Without it and without a secret id, they are those that the issuer publishes.'),
      handler: ref('handler')
        .prefault(DEFAULT_HANDLER)
        .describe(
          'Sends the requests for the metadata and the keys of the issuer, where there is no `secretsProvider`.',
        ),
      verificationSecretId: secretId()
        .optional()
        .describe(
          'Id of the verification keys: HMAC secrets as long as the hash, RSA keys of 2048 bits or more, elliptic ' +
            'curves, Edwards curves or ML-DSA. A JwkSetSecretStore ignores the id.',
        ),
      decryptionSecretId: secretId()
        .optional()
        .describe(
          'Id of the decryption keys. Unsigned claims are accepted only if they are encrypted with a secret key ' +
            '(`dir`, `A256KW` and the like). With a public key (`RSA-OAEP`, `ECDH-ES`) anyone could forge them, so such ' +
            'a token must contain a signed one, with the signature of a key of this same id. `RSA1_5`, `PBES2` and ' +
            'compressed tokens are rejected.',
        ),
      skewAllowance: duration({ zero: true })
        .prefault('zero')
        .describe('Allowed clock difference for `exp`, `nbf` and `iat`.'),
      signatureSecretId: deprecated(secretId(), "'verificationSecretId'").describe('The earlier name.'),
      encryptionSecretId: deprecated(secretId(), "'decryptionSecretId'").describe('The earlier name.'),
    })
    .check(
      exclusive(...SECRET_IDS),
      ...SECRET_IDS.map((name) => needs(name, 'secretsProvider')),
      rulesAbout(['secretsProvider', ...SECRET_IDS], (value, add, isSound) => {
        const hasId = SECRET_IDS.some((name) => value[name] !== undefined);
        if (value.secretsProvider !== undefined && !hasId) add([], `one of ${LISTED_IDS} is required`, 'missing');
        if (value.secretsProvider !== undefined || hasId || !isSound(['issuer'])) return;
        const fault = issuerFault(value.issuer);
        if (fault === null) return;
        add(['issuer'], `${fault}; without a 'secretsProvider' the keys are found by the URL of the issuer`);
      }),
    ),
  examples: [
    {
      title: 'Tokens of an issuer, verified with the keys that it publishes',
      config: { issuer: 'https://login.example.com' },
    },
    {
      title: 'Tokens signed with keys in files',
      config: {
        issuer: 'https://as.example.com/',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/keys', format: { type: 'PemPropertyFormat' } },
        },
        verificationSecretId: 'as.signing',
        skewAllowance: '10 seconds',
      },
    },
  ],
  remarks({ issuer, secretsProvider, handler }) {
    if (secretsProvider === undefined) {
      return clearTextRemarks('issuer', new URL(issuer), 'anybody on the way can put in other keys');
    }
    if (handler.name === DEFAULT_HANDLER) return [];
    const message = "has no effect: the keys are those of the 'secretsProvider'";
    return [{ at: ['handler'], code: 'no-effect', message }];
  },
  create(config, parts) {
    const { resolve } = parts;
    const { issuer } = config;
    const unmet = requirementsOf(config);
    const types = config.requireAccessTokenType ? ONLY_ACCESS_TOKENS : ACCESS_TOKENS;
    const skew = config.skewAllowance.milliseconds;
    const provider = config.secretsProvider === undefined ? discoveredKeys() : resolve(config.secretsProvider);
    const isDiscovered = config.secretsProvider === undefined;
    const verificationId = isDiscovered ? ISSUER_KEYS : (config.verificationSecretId ?? config.signatureSecretId);
    const decryptionId = config.decryptionSecretId ?? config.encryptionSecretId ?? '';

    const usages: readonly KeyUsage[] = verificationId === undefined ? OPENING : ['verify'];

    function discoveredKeys(): SecretsProvider {
      const { name, log, onClose } = parts;
      const keys = keysOfIssuer(issuer, { name, log, handler: resolve(config.handler) });
      onClose(() => keys.close());
      return keys;
    }

    function judged(token: string, claims: Claims): Resolution {
      const { iss, scope, tokenName }: AccessTokenClaims = claims;
      if (iss !== issuer) return unsound('it is from another issuer');
      const lack = unmet(claims);
      if (lack !== null) return unsound(lack);
      if (tokenName !== undefined && tokenName !== 'access_token') return unsound('it is not an access token');
      const fault = timeFault(claims, Date.now(), skew);
      if (fault === 'expired') return invalidToken('the token has expired');
      if (fault === 'not yet valid') return invalidToken('the token is not valid yet');
      if (fault !== null) return unsound(`its dates are not valid: ${fault}`);
      const scopes = scopesOf(scope);
      if (scopes === null) return unsound("its 'scope' is neither a text nor an array of texts");
      const expires = timeClaim(claims, 'exp') ?? Number.POSITIVE_INFINITY;
      const carriesInfo = verificationId !== undefined; // nobody reads claims from an encrypted token without its key
      return { kind: 'token', token, info: claims, carriesInfo, scopes, expiresAt: expires + skew };
    }

    function opened(token: string, payload: Buffer | TokenFault): Resolution {
      if (isTokenFault(payload)) return unsound(payload.fault, payload.reason);
      const claims = readClaims(payload);
      return claims === null ? unsound('its claims are not a valid JSON object') : judged(token, claims);
    }

    return {
      watch: (listener) => watchKeys(provider, usages, verificationId ?? decryptionId, listener),
      resolve(token) {
        const judge = (payload: Buffer | TokenFault): Resolution => opened(token, payload);
        return verificationId === undefined
          ? decryptedPayload(token, provider, decryptionId, types).then(judge)
          : verifiedPayload(token, provider, verificationId, types, judge);
      },
    };
  },
});

/** The claims that are looked at, not yet judged. */
interface AccessTokenClaims extends Claims {
  readonly iss?: unknown;
  readonly scope?: unknown;
  /** What the access manager calls the kind of a token. */
  readonly tokenName?: unknown;
}

/** Clients learn no more than this: the rest would help whoever makes up tokens. */
function unsound(cause: string, reason: unknown = null): Resolution {
  return invalidToken('the token is not valid', reason ?? cause);
}
