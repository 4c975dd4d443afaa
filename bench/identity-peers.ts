import { forwards, gateway, instance, type Json } from './configured-peers.ts';
import { justInTimeWarmup, type Peer, type Place } from './peer.ts';
import { haproxy } from './protocol-peers.ts';
import { sessionCookies } from './session-cookies.ts';
import { issuer, type TokenAlgorithm, tokenFiles } from './token-files.ts';

/** Proxies that look at tokens, and those that show what the same requests cost without that. */
const compared = { role: 'compared', needs: ['nginx', 'openssl'] } as const;

const PATH = '/api/v1/orders/';

function stateless(folder: string): Json {
  const format = { type: 'PemPropertyFormat' };
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory: folder, format: 'PLAIN', suffix: '.pem', mappings: [{ secretId: 'verify', format }] },
  };
  return { type: 'StatelessAccessTokenResolver', config: { issuer, secretsProvider, verificationSecretId: 'verify' } };
}

function protection(accessTokenResolver: Json, cached: boolean): Json {
  const cache = { enabled: cached, maxTimeout: '1 hour' };
  return {
    type: 'OAuth2ResourceServerFilter',
    config: { accessTokenResolver, scopes: ['orders:read'], requireHttps: false, ...(cached ? { cache } : {}) },
  };
}

/** Every request is of one of 100,000 clients, each with a bucket of its own that does not run dry. */
const throttle: Json = {
  type: 'ThrottlingFilter',
  config: {
    requestGroupingPolicy: "${request.headers['X-Client'][0]}",
    rate: { numberOfRequests: 1_000_000, duration: '1 minute' },
  },
};

/** Every request is of the same user, who has one bucket that does not run dry. */
const throttleBySubject: Json = {
  type: 'ThrottlingFilter',
  config: {
    requestGroupingPolicy: '${contexts.oauth2.accessToken.info.sub}',
    rate: { numberOfRequests: 100_000_000, duration: '1 minute' },
  },
};

function ours(name: string, title: string, filters: (place: Place) => readonly Json[]): Peer {
  return {
    ...compared,
    name,
    title,
    warmup: justInTimeWarmup, // then every token is known, too, and every client has its bucket
    version: () => 'gatewarden run',
    command: (place) =>
      gateway(place, instance(place.folder, { orders: forwards(PATH, place.backend, filters(place)) })),
  };
}

/** A route's filters for tokens that are kept. */
export const identity = (algorithm: TokenAlgorithm, count: number) => (): readonly Json[] => [
  protection(stateless(tokenFiles(algorithm, count).folder), true),
  throttle,
];
/** The same with one user. */
const subject = (): readonly Json[] => [protection(stateless(tokenFiles('RS256', 1).folder), true), throttleBySubject];
/** The same for tokens that are verified anew for every request. */
export const cold = (algorithm: TokenAlgorithm) => (): readonly Json[] => [
  protection(stateless(tokenFiles(algorithm, coldTokens).folder), false),
];
const introspection = ({ backend }: Place): readonly Json[] => [
  protection(
    {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: {
        endpoint: `http://127.0.0.1:${backend}/introspect`,
        providerHandler: { type: 'ClientHandler', config: { connections: 1024 } },
      },
    },
    false,
  ),
];

/** Different sessions that a unit keeps opened, and so many that it keeps none of them until its next request. */
export const keptSessions = 5000;
export const manySessions = 60_000;

/** A filter that reads the session. */
export const readsSession: Json = {
  type: 'AssignmentFilter',
  config: { onRequest: [{ target: '${attributes.user}', value: '${session.user}' }] },
};

function withSessions(name: string, title: string, count: number): Peer {
  return {
    ...ours(name, title, () => []),
    command(place) {
      const route = forwards(PATH, place.backend, [readsSession]) as object;
      return gateway(place, instance(place.folder, { orders: { ...route, session: sessionCookies(count).manager } }));
    },
  };
}

/** How many tokens the cold workloads go through; none of them is ever kept. */
export const coldTokens = 2000;

/** HAProxy verifying the signature, the issuer and the end of the token for every request. */
function haproxyJwt(place: Place, count: number): string[] {
  const { publicKey } = tokenFiles('RS256', count);
  return haproxy(place, '', '', [
    "http-request set-var(txn.alg) http_auth_bearer,jwt_header_query('$.alg')",
    'http-request deny unless { var(txn.alg) -m str RS256 }',
    `http-request deny unless { http_auth_bearer,jwt_payload_query('$.iss') -m str ${issuer} }`,
    `http-request deny unless { http_auth_bearer,jwt_verify(txn.alg,"${publicKey}") -m int 1 }`,
  ]);
}

export const identityPeers: readonly Peer[] = [
  ours('gatewarden-identity', 'Gatewarden, one cached token, scope, throttle', identity('RS256', 1)),
  ours('gatewarden-subject', 'Gatewarden, one cached token, scope, throttle by `sub`', subject),
  ours('gatewarden-identities', 'Gatewarden, 10,000 cached tokens, scope, throttle', identity('RS256', 10_000)),
  ours('gatewarden-rs256', 'Gatewarden, RS256 verified for every request', cold('RS256')),
  ours('gatewarden-es256', 'Gatewarden, ES256 verified for every request', cold('ES256')),
  ours('gatewarden-eddsa', 'Gatewarden, EdDSA verified for every request', cold('EdDSA')),
  ours('gatewarden-introspection', 'Gatewarden, introspection for every request', introspection),
  withSessions('gatewarden-sessions', 'Gatewarden, 5,000 sessions in cookies', keptSessions),
  withSessions('gatewarden-cold-sessions', 'Gatewarden, a session decrypted for every request', manySessions),
  ours('gatewarden-open', 'Gatewarden, the same route without protection', () => []),
  {
    ...compared,
    name: 'haproxy-jwt',
    title: 'HAProxy with jwt_verify',
    needs: ['haproxy'],
    warmup: 0.5,
    version: () => 'HAProxy',
    command: (place) => haproxyJwt(place, 1),
  },
];
