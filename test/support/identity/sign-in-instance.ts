import type { FolderContent } from '../gateways/instance-folder.ts';

export interface SignInInstance {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** The application behind sign-in, which also answers `/signed-out` without one. */
  readonly application: string;
  /** The key of the sessions: replicas with the same one share them. */
  readonly sessionKey: Buffer;
  /** More fields of the filter. */
  readonly config?: object;
  /** Fields of the session cookie. */
  readonly cookie?: object;
}

/** The files of an instance with an application behind sign-in. The application is told the user in `X-User`. */
export function signInInstance(options: SignInInstance): FolderContent {
  const { issuer, client, application, sessionKey, config, cookie = {} } = options;
  const store = (format: object | string): object => ({
    type: 'FileSystemSecretStore',
    config: { directory: '&{ig.instance.dir}/secrets', format },
  });
  const keyFormat = { type: 'SecretKeyPropertyFormat', config: { format: 'PLAIN', algorithm: 'AES' } };
  const registration = {
    type: 'ClientRegistration',
    config: {
      issuer,
      clientId: client.id,
      clientSecretId: 'client.secret',
      secretsProvider: store('PLAIN'),
      scopes: ['openid', 'email'],
    },
  };
  const failureHandler = {
    type: 'StaticResponseHandler',
    config: {
      status: 403,
      entity: 'failed: ${contexts.oauth2Failure.error}: ${contexts.oauth2Failure.description}',
    },
  };
  const signIn = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: '/openid',
      registrations: [registration],
      requireHttps: false,
      defaultLogoutGoto: '/signed-out',
      failureHandler,
      ...config,
    },
  };
  const user = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', add: { 'X-User': ['${attributes.openid.id_token_claims.email}'] } },
  };
  const session = {
    type: 'AuthenticatedEncryptedJwtSessionManager',
    config: { authenticatedEncryptionSecretId: 'session.key', secretsProvider: store(keyFormat), cookie },
  };
  return {
    'secrets/client.secret': client.secret,
    'secrets/session.key': sessionKey,
    'config/routes/1-open.json': {
      condition: "${request.uri.path == '/signed-out'}",
      handler: 'ReverseProxyHandler',
      baseURI: application,
    },
    'config/routes/2-app.json': {
      session,
      baseURI: application,
      handler: { type: 'Chain', config: { filters: [signIn, user], handler: 'ReverseProxyHandler' } },
    },
  };
}
