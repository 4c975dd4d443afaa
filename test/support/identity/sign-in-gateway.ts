import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { EchoBackend } from '../backends/echo-backend.ts';
import { Browser } from '../clients/browser.ts';
import { type ConfiguredGateway, startConfigured } from '../gateways/configured-gateway.ts';
import { inlineSecrets } from './inline-secrets.ts';
import { GATEWAY } from './openid-provider.ts';

/** The URL that browsers know the gateway by. */
export const APP = 'http://gw.test';

export interface SignInGateway extends ConfiguredGateway {
  /** What reached the application: the target, the user and the cookies. */
  readonly seen: { readonly url: string; readonly user: string; readonly cookies: string }[];
  /** A new browser without any cookies. */
  browser(): Browser;
}

export interface SignInOptions {
  /** Fields of the filter. */
  readonly config?: JsonObject;
  /** The `session` of the route. */
  readonly session?: JsonValue;
  /** Filters behind it. */
  readonly filters?: readonly JsonValue[];
  /** Fields of the document around the route. */
  readonly document?: JsonObject;
  /** Addresses whose `X-Forwarded-Proto` counts. */
  readonly trustedProxies?: readonly string[];
}

/** A registration with a secret. */
export function registration(issuer: string, config: JsonObject = {}): JsonObject {
  return {
    type: 'ClientRegistration',
    config: {
      issuer,
      clientId: GATEWAY.id,
      clientSecretId: 'secret',
      secretsProvider: inlineSecrets({ secret: GATEWAY.secret }),
      scopes: ['openid', 'email'],
      ...config,
    },
  };
}

/** The page of a sign-in that failed: what the context says. */
export const FAILURE: JsonObject = {
  type: 'StaticResponseHandler',
  config: {
    status: 403,
    entity: 'failed: ${contexts.oauth2Failure.error}: ${contexts.oauth2Failure.description}',
  },
};

/** An application behind sign-in at `http://gw.test`, for one test. It answers with the user that it was told. */
export async function startSignIn(issuer: string, options: SignInOptions = {}): Promise<SignInGateway> {
  const seen: { url: string; user: string; cookies: string }[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    const user = String(request.headers['x-user'] ?? 'nobody');
    seen.push({ url: request.url!, user, cookies: String(request.headers.cookie ?? '') });
    response.end(`${request.method} ${request.url} for ${user}`);
  });
  const signIn = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: '/openid',
      registrations: [registration(issuer)],
      requireHttps: false,
      failureHandler: FAILURE,
      ...options.config,
    },
  };
  const tell = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', add: { 'X-User': ['${attributes.openid.id_token_claims.sub}'] } },
  };
  const handler = {
    type: 'Chain',
    config: { filters: [signIn, tell, ...(options.filters ?? [])], handler: 'ReverseProxyHandler' },
  };
  const { session } = options;
  const route = { handler, baseURI: backend.url, ...(session !== undefined && { session }) };
  const { document = {}, trustedProxies = [] } = options;
  const gateway = await startConfigured(document, { routes: { app: route }, trustedProxies });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  return { ...gateway, seen, browser: () => new Browser({ 'gw.test': gateway.port }) };
}
