import { isObject, readJsonObject } from '../jose/strict-json.ts';

/** Endpoints that metadata can name, by the name that OpenID discovery and RFC 8414 give them. */
const ENDPOINTS = {
  authorization: 'authorization_endpoint',
  token: 'token_endpoint',
  userInfo: 'userinfo_endpoint',
  registration: 'registration_endpoint',
  endSession: 'end_session_endpoint',
  revocation: 'revocation_endpoint',
  introspection: 'introspection_endpoint',
  pushedAuthorization: 'pushed_authorization_request_endpoint',
  keys: 'jwks_uri',
} as const;

/** An endpoint of an issuer. */
export type EndpointName = keyof typeof ENDPOINTS;

/** Endpoint URLs exactly as the issuer or the configuration wrote them. */
export type Endpoints = Readonly<Partial<Record<EndpointName, string>>>;

/** Metadata of an issuer (OpenID Connect Discovery 1.0, RFC 8414). */
export interface IssuerMetadata {
  /** The identifier; null where a configuration names only endpoints. */
  readonly issuer: string | null;
  readonly endpoints: Endpoints;
  /** Endpoints for clients that authenticate with a certificate (RFC 8705, section 5). */
  readonly certificateEndpoints: Endpoints;
  /** All members as published, such as `code_challenge_methods_supported`; empty without discovery. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Metadata that must not be used. Its message contains nothing of the metadata but names of members. */
export class UnusableMetadata extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableMetadata';
  }
}

const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';

/**
 * Returns where the metadata of an issuer can be: OpenID discovery appends to its path, RFC 8414 inserts before it, and
 * some OpenID providers do that too (RFC 8414, section 5).
 */
export function wellKnownPlaces(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [`${origin}${path}${OPENID}`, `${origin}${OAUTH}${path}`, `${origin}${OPENID}${path}`];
  return [...new Set(places)];
}

/** Whether the metadata at a URL may be that of an issuer, by the location alone. */
export function isPlaceOf(issuer: string, place: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const wanted = new URL(place).href;
  return wellKnownPlaces(issuer).some((one) => new URL(one).href === wanted);
}

/**
 * Reads metadata. Endpoints must be https unless the metadata itself came over http: otherwise one changed member would
 * send credentials in clear text.
 * @param isExpected whether the metadata may be of this issuer
 * @throws UnusableMetadata
 */
export function readMetadata(
  content: Buffer,
  place: string,
  isExpected: (issuer: string) => boolean,
): IssuerMetadata | null {
  const members = readJsonObject(content);
  if (members === null) return null;
  const { issuer } = members;
  if (typeof issuer !== 'string') throw new UnusableMetadata("the metadata has no text 'issuer'");
  if (!isExpected(issuer)) {
    const isSlash = isExpected(issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`);
    const hint = isSlash ? ': one of them has a slash at the end, and the other has none' : '';
    throw new UnusableMetadata(`'issuer' of the metadata is not the issuer that was asked for${hint}`);
  }
  const isClear = new URL(place).protocol === 'http:';
  const aliases = members['mtls_endpoint_aliases'];
  return {
    issuer,
    endpoints: endpointsIn(members, isClear),
    certificateEndpoints: isObject(aliases) ? endpointsIn(aliases, isClear) : {},
    members,
  };
}

function endpointsIn(members: Readonly<Record<string, unknown>>, isClear: boolean): Endpoints {
  const found: Partial<Record<EndpointName, string>> = {};
  for (const [name, member] of Object.entries(ENDPOINTS) as [EndpointName, string][]) {
    const value = members[member];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new UnusableMetadata(`'${member}' of the metadata is not a text`);
    const fault = endpointFault(value, isClear);
    if (fault !== null) throw new UnusableMetadata(`'${member}' of the metadata ${fault}`);
    found[name] = value;
  }
  return found;
}

function endpointFault(value: string, isClear: boolean): string | null {
  const parsed = URL.parse(value);
  if (parsed === null || /[\s#]/.test(value)) return 'is not an absolute URL without a fragment';
  const { protocol, username, password } = parsed;
  if (username !== '' || password !== '') return 'contains credentials';
  if (protocol === 'https:' || (isClear && protocol === 'http:')) return null;
  return 'is not an https URL';
}
