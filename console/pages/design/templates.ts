import type { JsonObject } from '../../../contract/document/json-value.ts';

/** A document to begin a route with. */
export interface RouteTemplate {
  readonly id: string;
  readonly title: string;
  /** What the route does, in a sentence. */
  readonly description: string;
  readonly document: JsonObject;
}

const chain = (filters: readonly JsonObject[], handler: JsonObject | string = 'ReverseProxyHandler'): JsonObject => ({
  type: 'Chain',
  config: { filters, handler },
});
const below = (path: string): string => `\${find(request.uri.path, '^${path}(/|$)')}`;

/** Documents for the usual needs. Hosts of `example.com` have to be replaced. */
export const TEMPLATES: readonly RouteTemplate[] = [
  {
    id: 'open',
    title: 'Open route',
    description: 'Forwards requests below a path to an application.',
    document: {
      name: 'application',
      condition: below('/app'),
      baseURI: 'http://app.example.com:8080',
      handler: 'ReverseProxyHandler',
    },
  },
  {
    id: 'tokens',
    title: 'API with access tokens',
    description: 'Admits requests with an access token of an issuer that has a scope.',
    document: {
      name: 'api',
      condition: below('/api'),
      baseURI: 'http://api.example.com:8080',
      handler: chain([
        {
          name: 'tokens',
          type: 'OAuth2ResourceServerFilter',
          config: {
            scopes: ['orders:read'],
            cache: { enabled: true, maxTimeout: '1 minute' },
            accessTokenResolver: {
              type: 'StatelessAccessTokenResolver',
              config: { issuer: 'https://login.example.com' },
            },
          },
        },
      ]),
    },
  },
  {
    id: 'sign-in',
    title: 'Sign-in with OpenID Connect',
    description: 'Signs users in with an OpenID provider and tells the application who they are.',
    document: {
      name: 'pages',
      condition: below('/pages'),
      baseURI: 'http://pages.example.com:8080',
      handler: chain([
        {
          name: 'sign-in',
          type: 'AuthorizationCodeOAuth2ClientFilter',
          config: {
            clientEndpoint: '/pages/openid',
            registrations: [{ issuer: 'https://login.example.com', clientId: 'gateway' }],
            failureHandler: {
              type: 'StaticResponseHandler',
              config: { status: 403, headers: { 'Content-Type': ['text/plain'] }, entity: 'You are not signed in.\n' },
            },
          },
        },
        {
          name: 'user',
          type: 'HeaderFilter',
          config: {
            messageType: 'REQUEST',
            remove: ['X-User'],
            add: { 'X-User': ['${attributes.openid.id_token_claims.sub}'] },
          },
        },
      ]),
    },
  },
  {
    id: 'throttle',
    title: 'Rate limit',
    description: 'Limits the requests of each client address; more requests get 429.',
    document: {
      name: 'limited',
      condition: below('/limited'),
      baseURI: 'http://app.example.com:8080',
      handler: chain([
        {
          name: 'rate',
          type: 'ThrottlingFilter',
          config: {
            requestGroupingPolicy: '${contexts.client.remoteAddress}',
            rate: { numberOfRequests: 100, duration: '10 seconds' },
          },
        },
      ]),
    },
  },
  {
    id: 'tls',
    title: 'Backend with TLS',
    description: 'Connects to the application with TLS 1.3 and verifies its certificate and host name.',
    document: {
      name: 'secure-backend',
      condition: below('/secure'),
      baseURI: 'https://app.example.com',
      handler: {
        type: 'ReverseProxyHandler',
        config: {
          tls: {
            type: 'ClientTlsOptions',
            config: { hostnameVerifier: 'STRICT', sslEnabledProtocols: ['TLSv1.3'] },
          },
        },
      },
    },
  },
  {
    id: 'websocket',
    title: 'WebSocket',
    description: 'Lets clients upgrade to WebSocket, with a timeout that fits quiet connections.',
    document: {
      name: 'events',
      condition: below('/events'),
      baseURI: 'http://events.example.com:8080',
      handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true, soTimeout: '1 hour' } } },
    },
  },
  {
    id: 'canary',
    title: 'Canary release',
    description: 'Sends one of ten requests to a new version, and keeps each client with the version that it got.',
    document: {
      name: 'canary',
      condition: below('/shop'),
      handler: {
        type: 'ReverseProxyHandler',
        config: {
          backends: {
            name: 'versions',
            type: 'Backends',
            config: {
              endpoints: [
                { name: 'stable', uri: 'http://shop-v1.example.com:8080', weight: 9 },
                { name: 'canary', uri: 'http://shop-v2.example.com:8080', weight: 1 },
              ],
              affinityCookie: { name: 'shop-version' },
            },
          },
        },
      },
    },
  },
  {
    id: 'empty',
    title: 'Empty route',
    description: 'Answers every request with 404, until you give it something else to do.',
    document: {
      name: 'new-route',
      condition: below('/new'),
      handler: { type: 'StaticResponseHandler', config: { status: 404 } },
    },
  },
];
