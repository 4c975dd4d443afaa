import { z } from 'zod';
import type { ProblemCode } from '../../../contract/problem.ts';
import { choice, flag, secretId, text, url } from '../../../contract/vocabulary/configured.ts';
import { refused } from '../../../contract/vocabulary/field-notes.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineService, type Remark } from '../../heap/definition.ts';
import { signatureAlgorithms } from '../../jose/signature-algorithm.ts';
import { type AuthenticationMethod, authenticationMethods } from '../client/client-authentication.ts';
import { scopeList } from '../client/scope-list.ts';
import { issuerField } from './issuer-field.ts';
import { openIssuer } from './open-issuer.ts';
import { openRegistration } from './open-registration.ts';

const SECRET_METHODS: ReadonlySet<string> = new Set(['client_secret_basic', 'client_secret_post', 'client_secret_jwt']);

const METHOD_FIELDS = [
  'tokenEndpointAuthMethod',
  'tokenEndpointAuthSigningAlg',
  'clientSecretId',
  'privateKeyJwtSecretId',
] as const;

interface MethodFields {
  readonly tokenEndpointAuthMethod?: AuthenticationMethod | undefined;
  readonly tokenEndpointAuthSigningAlg?: string | undefined;
  readonly clientSecretId?: string | undefined;
  readonly privateKeyJwtSecretId?: string | undefined;
}

/** The gateway as a client of an issuer. */
export const clientRegistration = defineService({
  type: 'ClientRegistration',
  kind: 'clientRegistration',
  summary:
    'The gateway as a registered client of an OpenID provider or authorization server. The URL of the issuer and the ' +
    'client id are enough for a public client; everything else is discovered. The client authenticates at the token ' +
    'endpoint by `tokenEndpointAuthMethod`: `client_secret_basic`, `client_secret_post`, `client_secret_jwt` (with a ' +
    'client secret), `private_key_jwt` (with a key), `tls_client_auth` (with the client certificate of the ' +
    '`authenticatedRegistrationHandler`) or `none`. Secrets and keys come from stores, and are read for each request.',
  config: z
    .strictObject({
      clientId: printable().describe('Id that the issuer knows the gateway by.'),
      issuer: issuerField().describe('URL of the issuer, or an Issuer.'),
      name: text().optional().describe('Name of the registration; by default the client id.'),
      scopes: scopeList()
        .optional()
        .describe(
          'Scopes to ask for; `openid` for ID tokens. By default `openid` where keys that verify ID tokens are known, and ' +
            'otherwise none.',
        ),
      redirect_uris: z
        .array(url())
        .default([])
        .describe('Redirect URIs that the issuer knows; by default that of the filter that uses the registration.'),
      clientSecretId: secretId().optional().describe('Id of the client secret, a GenericSecret.'),
      clientSecret: refused("secrets do not belong into a document: use 'clientSecretId'").describe(
        'The secret itself, which earlier versions of OpenIG took.',
      ),
      tokenEndpointAuthMethod: choice(authenticationMethods)
        .optional()
        .describe(
          'Client authentication at the token endpoint; by default `client_secret_basic` with a `clientSecretId`, ' +
            '`private_key_jwt` with a `privateKeyJwtSecretId`, and otherwise `none`.',
        ),
      tokenEndpointAuthSigningAlg: choice(signatureAlgorithms)
        .optional()
        .describe('JWA algorithm of assertions; by default `RS256`, and `HS256` for `client_secret_jwt`.'),
      privateKeyJwtSecretId: secretId()
        .optional()
        .describe('Id of the key that signs assertions for `private_key_jwt`, a CryptoKey.'),
      authenticatedRegistrationHandler: ref('handler')
        .prefault('ClientHandler')
        .describe(
          'Sends requests to endpoints that need client authentication. For `tls_client_auth` it has the client ' +
            'certificate. It also sends requests for metadata where `issuer` is a URL.',
        ),
      idTokenVerificationSecretId: secretId()
        .optional()
        .describe('Id of the keys that verify ID tokens, in place of those of the issuer.'),
      skipSignatureVerification: flag()
        .default(false)
        .describe('Accepts ID tokens without verifying their signature. Only for tests.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the secrets and keys.'),
    })
    .check(
      needs('clientSecretId', 'secretsProvider'),
      needs('privateKeyJwtSecretId', 'secretsProvider'),
      needs('idTokenVerificationSecretId', 'secretsProvider'),
      rulesAbout(METHOD_FIELDS, (value, add) => {
        for (const [field, message, code] of methodFaults(value)) add([field], message, code);
      }),
    ),
  examples: [
    { title: 'A public client', config: { issuer: 'https://login.example.com', clientId: 'gateway' } },
    {
      title: 'A client with a secret',
      config: {
        issuer: 'https://login.example.com',
        clientId: 'gateway',
        scopes: ['openid', 'email'],
        clientSecretId: 'client.secret',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks(config) {
    const { issuer, scopes, skipSignatureVerification } = config;
    const remarks: Remark[] = [];
    if (typeof issuer === 'string') {
      remarks.push(...clearTextRemarks('issuer', new URL(issuer), 'credentials and tokens travel unencrypted'));
      if (scopes !== undefined && !scopes.includes('openid')) {
        const message = "do not include 'openid': the provider issues no ID token, and nothing verifies who signed in";
        remarks.push({ at: ['scopes'], code: 'insecure', message });
      }
    }
    if (skipSignatureVerification) {
      const message = 'accepts ID tokens that anyone on the path can write';
      remarks.push({ at: ['skipSignatureVerification'], code: 'insecure', message });
    }
    const method = methodOf(config);
    const unused = { clientSecretId: SECRET_METHODS.has(method), privateKeyJwtSecretId: method === 'private_key_jwt' };
    for (const [name, isUsed] of Object.entries(unused)) {
      if (isUsed || config[name as keyof typeof unused] === undefined) continue;
      remarks.push({ at: [name], code: 'no-effect', message: `has no effect with the method ${method}` });
    }
    return remarks;
  },
  create(config, parts) {
    const { resolve } = parts;
    const { clientId, idTokenVerificationSecretId: verificationId } = config;
    const method = methodOf(config);
    const handler = resolve(config.authenticatedRegistrationHandler);
    const provider = config.secretsProvider === undefined ? null : resolve(config.secretsProvider);
    const issuer =
      typeof config.issuer === 'string'
        ? openIssuer(
            {
              name: parts.name,
              issuer: config.issuer,
              wellKnown: null,
              endpoints: {},
              supportedDomains: [],
              handler,
              keys: null,
            },
            parts,
          )
        : resolve(config.issuer);
    const ownKeys = verificationId === undefined ? null : { provider: provider!, secretId: verificationId };
    const keys = config.skipSignatureVerification ? null : (ownKeys ?? issuer.keys);
    const isVerifiable = keys !== null || config.skipSignatureVerification;
    const scopes = config.scopes ?? (isVerifiable ? ['openid'] : []);
    if (!isVerifiable && scopes.includes('openid')) {
      const remedy = "set 'idTokenVerificationSecretId', or give the issuer by its URL";
      throw new Error(`the issuer '${issuer.name}' has no keys that verify ID tokens: ${remedy}`);
    }
    return openRegistration({
      name: config.name ?? clientId,
      issuer,
      scopes,
      redirectUris: config.redirect_uris.map(({ href }) => href),
      keys,
      handler,
      client: {
        type: 'ClientRegistration',
        clientId,
        method,
        provider,
        secretId: (method === 'private_key_jwt' ? config.privateKeyJwtSecretId : config.clientSecretId) ?? null,
        algorithm: config.tokenEndpointAuthSigningAlg ?? (method === 'client_secret_jwt' ? 'HS256' : 'RS256'),
      },
    });
  },
});

function methodOf({
  tokenEndpointAuthMethod,
  clientSecretId,
  privateKeyJwtSecretId,
}: MethodFields): AuthenticationMethod {
  if (tokenEndpointAuthMethod !== undefined) return tokenEndpointAuthMethod;
  if (clientSecretId !== undefined) return 'client_secret_basic';
  return privateKeyJwtSecretId === undefined ? 'none' : 'private_key_jwt';
}

/** What the method lacks: the field, the message and the code of the problem. */
function methodFaults(fields: MethodFields): (readonly [field: string, message: string, code: ProblemCode])[] {
  const { tokenEndpointAuthSigningAlg: algorithm, clientSecretId, privateKeyJwtSecretId } = fields;
  const method = methodOf(fields);
  const faults: (readonly [string, string, ProblemCode])[] = [];
  const lacks = (field: string): unknown =>
    faults.push([field, `is required: the method ${method} needs it`, 'missing']);
  if (SECRET_METHODS.has(method) && clientSecretId === undefined) lacks('clientSecretId');
  if (method === 'private_key_jwt' && privateKeyJwtSecretId === undefined) lacks('privateKeyJwtSecretId');
  if (algorithm === undefined) return faults;
  const isSecret = algorithm.startsWith('HS');
  if (method === 'client_secret_jwt' && !isSecret) {
    faults.push(['tokenEndpointAuthSigningAlg', 'must be HS256, HS384 or HS512 for client_secret_jwt', 'value']);
  }
  if (method === 'private_key_jwt' && isSecret) {
    faults.push(['tokenEndpointAuthSigningAlg', 'must not be an HMAC algorithm for private_key_jwt', 'value']);
  }
  return faults;
}
