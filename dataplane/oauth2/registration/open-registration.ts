import { hash } from 'node:crypto';
import { callHandler } from '../../engine/backend/own-call.ts';
import type { Next } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { type AuthenticatedClient, clientAuthentication } from '../client/client-authentication.ts';
import { formEncoded } from '../client/form-encoding.ts';

/** Characters of an identity: sessions in cookies hold it. */
const IDENTITY_LENGTH = 16;
const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

export interface RegistrationOptions extends Omit<ClientRegistration, 'post' | 'clientId' | 'identity'> {
  readonly client: AuthenticatedClient;
  /** Sends requests that need client authentication. */
  readonly handler: Next;
}

/** A client of an issuer, which authenticates with every form that it sends. */
export function openRegistration({ client, handler, ...facts }: RegistrationOptions): ClientRegistration {
  const { issuer, scopes, keys } = facts;
  const { clientId } = client;
  // a user without an ID token, or with one that nobody verified, is not one of a registration that asks for more
  const whose = [issuer.identity, clientId, scopes.includes('openid'), keys !== null];
  const authenticate = clientAuthentication(client);
  return {
    ...facts,
    clientId,
    identity: hash('sha256', JSON.stringify(whose), 'base64url').slice(0, IDENTITY_LENGTH),
    async post(endpoint, fields, parent, prove) {
      const { endpoints, certificateEndpoints } = await issuer.metadata();
      const withCertificate = client.method === 'tls_client_auth' ? certificateEndpoints[endpoint] : undefined;
      const uri = withCertificate ?? endpoints[endpoint];
      if (uri === undefined) throw new Error(`the issuer '${issuer.name}' has no ${endpoint} endpoint`);
      const content = fields.map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`).join('&');
      const headers = prove === undefined ? HEADERS : { ...HEADERS, ...(await prove(uri)) };
      return callHandler(
        async (exchange) => {
          await authenticate(exchange.request, endpoints.token ?? uri);
          return handler(exchange);
        },
        { method: 'POST', uri, headers, content },
        { parent },
      );
    },
  };
}
