import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { choice, secretId, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { signatureAlgorithms } from '../../jose/signature-algorithm.ts';

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
const ASYMMETRIC = signatureAlgorithms.filter((name) => !name.startsWith('HS'));

/** Metadata of a client (RFC 7591) as it is sent to issuers, and what the gateway itself uses of it. */
export interface DynamicMetadata {
  readonly members: JsonObject;
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
}

/** Fields of clients that register themselves at issuers that users name. */
export const discoveryFields = {
  metadata: clientMetadata()
    .optional()
    .describe(
      'Metadata of the gateway as a client (RFC 7591), such as `redirect_uris` (required), `scopes` and `client_name`. ' +
        'With it, `/login/?discovery=INPUT` registers the gateway at any issuer that a user names. Then everybody can ' +
        'run the issuer of a user: look at `iss` of the claims before you trust `sub`.',
    ),
  discoveryHandler: ref('handler')
    .prefault('ClientHandler')
    .describe('Sends requests to issuers that users name: discovery, registration and tokens.'),
  tokenEndpointAuthMethod: choice(METHODS)
    .optional()
    .describe(
      'Client authentication after dynamic registration; by default `client_secret_basic`, and `private_key_jwt` with a ' +
        '`discoverySecretId`. An issuer that gives no secret gets none.',
    ),
  tokenEndpointAuthSigningAlg: choice(ASYMMETRIC)
    .optional()
    .describe('Algorithm of assertions for `private_key_jwt` after dynamic registration; by default `RS256`.'),
  discoverySecretId: secretId()
    .optional()
    .describe(
      'Id of the key for `private_key_jwt` after dynamic registration; `metadata` has its public half as `jwks`.',
    ),
};

/** The fields as they are read. */
export interface DiscoveryConfig {
  readonly metadata?: DynamicMetadata | undefined;
  readonly tokenEndpointAuthMethod?: (typeof METHODS)[number] | undefined;
  readonly tokenEndpointAuthSigningAlg?: string | undefined;
  readonly discoverySecretId?: string | undefined;
  readonly secretsProvider?: unknown;
}

/** What these fields lack together: the field and the message. */
export function discoveryFaults(config: DiscoveryConfig): (readonly [field: string, message: string])[] {
  const { tokenEndpointAuthMethod: method, discoverySecretId: id, secretsProvider } = config;
  const faults: (readonly [string, string])[] = [];
  if (id !== undefined && secretsProvider === undefined) {
    faults.push(['secretsProvider', "is required: 'discoverySecretId' needs it"]);
  }
  if (method === 'private_key_jwt' && id === undefined) {
    faults.push(['discoverySecretId', 'is required: the method private_key_jwt needs it']);
  }
  return faults;
}

/** Fields that are given and do nothing. */
export function idleDiscoveryFields(config: DiscoveryConfig): string[] {
  if (config.metadata !== undefined) return [];
  const names = ['tokenEndpointAuthMethod', 'tokenEndpointAuthSigningAlg', 'discoverySecretId'] as const;
  return names.filter((name) => config[name] !== undefined);
}

function clientMetadata(): z.ZodType<DynamicMetadata, unknown> {
  return leaf('object', { type: 'object', required: ['redirect_uris'] }, (value) => {
    const given = value as JsonValue;
    if (!isJsonObject(given)) throw wrongType('an object', value);
    const { redirect_uris: uris, scopes = ['openid'], ...others } = given;
    if (!isTexts(uris) || uris.length === 0 || !uris.every((uri) => /^https?:\/\//.test(uri) && URL.canParse(uri))) {
      throw new ValueProblem('value', "must contain 'redirect_uris', an array of absolute URLs");
    }
    if (!isTexts(scopes)) throw new ValueProblem('value', "must contain 'scopes' as an array of texts");
    if ('token_endpoint_auth_method' in others) {
      throw new ValueProblem('value', "must not contain 'token_endpoint_auth_method': use 'tokenEndpointAuthMethod'");
    }
    const grants = { response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'] };
    const members = { ...grants, ...others, redirect_uris: uris, scope: scopes.join(' ') };
    return { members, scopes, redirectUris: uris.map((uri) => new URL(uri).href) };
  });
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
