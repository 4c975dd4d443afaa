import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import type { Certified } from './certificates.ts';

export interface OpenidProviderOptions {
  /** Clients beside `gateway` (a secret) and `public` (none), in the words of RFC 7591. */
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
  /** Redirect URIs of `gateway` and `public`. */
  readonly redirectUris?: readonly string[];
  /** More configuration of `oidc-provider`. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly features?: Readonly<Record<string, unknown>>;
  /** Its certificate; without one it speaks plain HTTP. */
  readonly tls?: Pick<Certified, 'key' | 'chain'>;
}

/** The client that authenticates with a secret. */
export const GATEWAY = { id: 'gateway', secret: 'the-secret-of-gateway' };
/** The client that nothing authenticates. */
export const PUBLIC = { id: 'public' };

/** A real OpenID provider, which is closed after the test. */
export async function startOpenidProvider(options: OpenidProviderOptions = {}): Promise<OpenidProvider> {
  const provider = await OpenidProvider.start(options);
  onTestFinished(() => provider.close());
  return provider;
}

/** `oidc-provider` on a port of its own, whose users sign in without a page. */
export class OpenidProvider {
  /** What it was asked, in order and without the query: `POST /token`. */
  readonly asked: string[] = [];
  readonly issuer: string;
  /** Who signs in next; null for a user who says no. */
  user: string | null = 'ada';
  /** Called before a request is served: for a provider that is slow, or that answers something else. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => true;
  private readonly server: Server;
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  private readonly kid = randomUUID();

  private constructor(server: Server, scheme: string) {
    this.server = server;
    this.issuer = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(options: OpenidProviderOptions = {}): Promise<OpenidProvider> {
    const { tls } = options;
    const server = tls === undefined ? createServer() : createSecureServer({ key: tls.key, cert: tls.chain });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new OpenidProvider(server, tls === undefined ? 'http' : 'https');
    const serve = await started.listener(options);
    server.on('request', (request, response) => {
      started.asked.push(`${request.method} ${request.url!.split('?', 1)[0]}`);
      void Promise.resolve(started.before(request, response)).then((goesOn) => {
        if (goesOn) serve(request, response);
      });
    });
    return started;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** An ID token for `gateway` that nobody signed in for. */
  idToken(sub: string): Promise<string> {
    return new SignJWT({ sub })
      .setProtectedHeader({ alg: 'RS256', kid: this.kid })
      .setIssuer(this.issuer)
      .setAudience(GATEWAY.id)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(this.key);
  }

  private async listener(options: OpenidProviderOptions): Promise<RequestListener> {
    const { Provider } = (await import('oidc-provider' as string)) as ProviderModule;
    const redirectUris = options.redirectUris ?? ['http://gw.test/openid/callback'];
    const key = this.key.export({ format: 'jwk' });
    const provider = new Provider(this.issuer, {
      clients: [
        { client_id: GATEWAY.id, client_secret: GATEWAY.secret, redirect_uris: redirectUris },
        { client_id: PUBLIC.id, token_endpoint_auth_method: 'none', redirect_uris: redirectUris },
        ...(options.clients ?? []),
      ].map((client) => ({ grant_types: ['authorization_code', 'refresh_token'], ...client })),
      jwks: { keys: [{ ...key, kid: this.kid, use: 'sig' }] },
      cookies: { keys: [randomUUID()] },
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'],
      claims: { openid: ['sub'], email: ['email'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups', 'offline_access'],
      conformIdTokenClaims: false,
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => claimsOf(id) }),
      loadExistingGrant: granted,
      interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      features: { devInteractions: { enabled: false }, revocation: { enabled: true }, ...options.features },
      ...options.configuration,
    });
    const serve = provider.callback();
    return (request, response) => {
      if (request.url?.startsWith('/interaction/') === true) void this.interact(provider, request, response);
      else serve(request, response);
    };
  }

  private async interact(provider: InteractingProvider, request: IncomingMessage, response: ServerResponse) {
    const { user } = this;
    const result =
      user === null
        ? { error: 'access_denied', error_description: 'The user said <no>' }
        : { login: { accountId: user } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

/** What we use of the package, which brings no types. */
interface InteractingProvider {
  callback(): RequestListener;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
    options: object,
  ): Promise<void>;
}

interface ProviderModule {
  readonly Provider: new (issuer: string, configuration: object) => InteractingProvider;
}

/** What a user agrees to: everything that is asked for. */
interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly scope?: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
  };
}

async function granted({ oidc }: GrantContext): Promise<object> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope(oidc.params.scope ?? '');
  await grant.save();
  return grant;
}

function claimsOf(id: string): object {
  return { sub: id, email: `${id}@example.com`, name: id.toUpperCase(), groups: ['staff'] };
}
