import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type GrantingProvider, registerGrants } from './custom-grants.ts';

/** How a client is registered, in the words of RFC 7591. */
export type ClientMetadata = { readonly client_id: string } & Readonly<Record<string, unknown>>;

export interface AuthorizationServerOptions {
  /** Clients beside `client` (client_secret_basic) and `poster` (client_secret_post). */
  readonly clients?: readonly ClientMetadata[];
  /** Seconds that tokens are good for. */
  readonly lifetime?: number;
  /** How JWT access tokens are signed; by default with RS256. */
  readonly algorithm?: SigningAlgorithm;
  /** Whether DPoP proofs must have a nonce; by default they need none. */
  readonly dpopNonce?: boolean;
}

export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

/** What is wanted of a token. */
export interface TokenWish {
  /** By default `read write`. */
  readonly scope?: string;
  /** A signed JWT instead of an opaque token. */
  readonly jwt?: boolean;
  /** A DPoP proof for the token endpoint: the token is bound to its key. */
  readonly proof?: string;
  /** A client certificate in PEM: the token is bound to it. */
  readonly certificate?: string;
}

/** The client that asks for tokens and introspects them. */
export const CLIENT = { id: 'client', secret: 'the-secret-of-client' };
/** The client that puts its secret into the form. */
export const POSTER = { id: 'poster', secret: 'the-secret-of-poster' };
/** The client whose tokens are bound to its certificate. */
const BOUND = { id: 'bound', secret: 'the-secret-of-bound' };
/** Asked for as `resource`, the token is a JWT for this audience. */
export const JWT_RESOURCE = 'urn:test:api';
export const SCOPES = ['read', 'write', 'admin'];

const PATHS = { token: '/token', introspection: '/introspect', revocation: '/revoke', jwks: '/jwks' };
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
];

/** A real authorization server, which is closed after the test. */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const server = await AuthorizationServer.start(options);
  onTestFinished(() => server.close());
  return server;
}

/** `oidc-provider` on a port of its own, with client credentials, introspection and revocation. */
export class AuthorizationServer {
  /** What it was asked, in order: `POST /token`. */
  readonly asked: string[] = [];
  readonly issuer: string;
  readonly endpoints: Readonly<Record<keyof typeof PATHS, string>>;
  private readonly server: Server;
  private readonly options: AuthorizationServerOptions;
  private readonly records = new Map<string, StoredRecord>();
  private keys: readonly Jwk[];
  private answer: RequestListener = () => {};

  private constructor(server: Server, options: AuthorizationServerOptions) {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    this.server = server;
    this.options = options;
    this.issuer = issuer;
    this.endpoints = {
      token: issuer + PATHS.token,
      introspection: issuer + PATHS.introspection,
      revocation: issuer + PATHS.revocation,
      jwks: issuer + PATHS.jwks,
    };
    this.keys = newKeys();
    this.setClient(ownClient(CLIENT, 'client_secret_basic'));
    this.setClient(ownClient(POSTER, 'client_secret_post'));
    this.setClient({ ...ownClient(BOUND, 'client_secret_basic'), tls_client_certificate_bound_access_tokens: true });
    for (const client of options.clients ?? []) this.setClient(client);
  }

  /** Starts one that the caller closes. */
  static async start(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const server = createServer();
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new AuthorizationServer(server, options);
    await started.serve();
    server.on('request', (request, response) => {
      started.asked.push(`${request.method} ${request.url}`);
      started.answer(request, response);
    });
    return started;
  }

  /** Ids of the keys that it publishes, the one in use for its algorithm first. */
  get keyIds(): readonly string[] {
    return this.keys.map((key) => String(key['kid']));
  }

  /** Registers a client, or replaces it, such as for other keys. */
  setClient(metadata: ClientMetadata): void {
    const defaults = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
    this.records.set(recordKey('Client', metadata.client_id), { ...defaults, ...metadata });
  }

  /** A token by client credentials. */
  async token(wish: TokenWish = {}): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: wish.scope ?? 'read write' });
    if (wish.jwt === true) form.set('resource', JWT_RESOURCE);
    const headers: Record<string, string> = {};
    if (wish.proof !== undefined) headers['DPoP'] = wish.proof;
    if (wish.certificate !== undefined) headers[CERTIFICATE_HEADER] = encodeURIComponent(wish.certificate);
    const client = wish.certificate === undefined ? CLIENT : BOUND;
    const answer = await post(this.endpoints.token, form, client, headers);
    const said = (await answer.json()) as Record<string, unknown>;
    if (typeof said['access_token'] !== 'string') throw new Error(`no token: ${JSON.stringify(said)}`);
    return said['access_token'];
  }

  /** Revokes an opaque token. */
  async revoke(token: string): Promise<void> {
    const answer = await post(this.endpoints.revocation, new URLSearchParams({ token }), CLIENT);
    if (answer.status !== 200) throw new Error(`not revoked: ${await answer.text()}`);
  }

  /** Makes an opaque token one that expired a minute ago. */
  expire(token: string): void {
    const record = this.records.get(recordKey('ClientCredentials', token));
    if (record === undefined) throw new Error('there is no such token');
    record['exp'] = Math.floor(Date.now() / 1000) - 60;
  }

  /** Signs with new keys from now on. The former ones stay published unless told otherwise. */
  async rotateKeys({ keepFormer = true } = {}): Promise<void> {
    this.keys = keepFormer ? [...newKeys(), ...this.keys] : newKeys();
    await this.serve();
  }

  /** Publishes only the keys that it signs with now. */
  async dropFormerKeys(): Promise<void> {
    this.keys = this.keys.slice(0, KEYS_AT_A_TIME);
    await this.serve();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Listens again where it did before it was closed. */
  async reopen(): Promise<void> {
    this.server.listen(Number(new URL(this.issuer).port), '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Keys of a provider are fixed, so others take another provider, on the same records. */
  private async serve(): Promise<void> {
    const { Provider } = (await import('oidc-provider' as string)) as ProviderModule;
    const { lifetime = 600, algorithm = 'RS256', dpopNonce = false } = this.options;
    const provider = new Provider(this.issuer, {
      adapter: recordsAdapter(this.records),
      jwks: { keys: this.keys },
      cookies: { keys: [randomUUID()] },
      scopes: SCOPES,
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'],
      enabledJWA: {
        clientAuthSigningAlgValues: ['HS256', 'HS384', 'HS512', ...ASYMMETRIC],
        dPoPSigningAlgValues: ASYMMETRIC,
      },
      routes: PATHS,
      ttl: { ClientCredentials: lifetime },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: () => true },
        revocation: { enabled: true, allowedPolicy: () => true },
        dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => dpopNonce },
        mTLS: { enabled: true, certificateBoundAccessTokens: true, getCertificate: shownCertificate },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          getResourceServerInfo: () => ({
            scope: SCOPES.join(' '),
            audience: JWT_RESOURCE,
            accessTokenFormat: 'jwt',
            accessTokenTTL: lifetime,
            jwt: { sign: { alg: algorithm } },
          }),
        },
      },
    });
    registerGrants(provider);
    this.answer = provider.callback();
  }
}

/** As a proxy in front of it would tell of the certificate of a client. */
const CERTIFICATE_HEADER = 'x-client-certificate';

type StoredRecord = Record<string, unknown>;
type Jwk = Readonly<Record<string, unknown>>;

/** What we use of the package, which brings no types. */
interface ProviderModule {
  readonly Provider: new (issuer: string, configuration: object) => GrantingProvider & { callback(): RequestListener };
}

function post(
  url: string,
  form: URLSearchParams,
  client: typeof CLIENT,
  headers: Record<string, string> = {},
): Promise<Response> {
  const credentials = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  return fetch(url, { method: 'POST', body: form, headers: { ...headers, authorization: `Basic ${credentials}` } });
}

function shownCertificate(context: { readonly req: IncomingMessage }): X509Certificate | undefined {
  const header = context.req.headers[CERTIFICATE_HEADER];
  return typeof header === 'string' ? new X509Certificate(decodeURIComponent(header)) : undefined;
}

function ownClient({ id, secret }: typeof CLIENT, method: string): ClientMetadata {
  return { client_id: id, client_secret: secret, token_endpoint_auth_method: method, scope: SCOPES.join(' ') };
}

function recordKey(model: string, id: string): string {
  return `${model} ${id}`;
}

/** Keeps what the provider stores in a map. */
function recordsAdapter(records: Map<string, StoredRecord>): (model: string) => object {
  return (model) => ({
    find: async (id: string) => records.get(recordKey(model, id)),
    upsert: async (id: string, record: StoredRecord) => void records.set(recordKey(model, id), record),
    destroy: async (id: string) => void records.delete(recordKey(model, id)),
    consume: async (id: string) => {
      const record = records.get(recordKey(model, id));
      if (record !== undefined) record['consumed'] = Math.floor(Date.now() / 1000);
    },
  });
}

/** How many keys it makes at a time, one for each kind of algorithm. */
const KEYS_AT_A_TIME = 3;

function newKeys(): Jwk[] {
  return [
    privateJwk(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    privateJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    privateJwk(generateKeyPairSync('ed25519').privateKey),
  ];
}

function privateJwk(key: KeyObject): Jwk {
  return { ...key.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig' };
}
