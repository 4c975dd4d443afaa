import { callHandler } from '../../engine/backend/own-call.ts';
import type { Next } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { type AuthenticatedClient, clientAuthentication } from '../client/client-authentication.ts';
import { formEncoded } from '../client/form-encoding.ts';

const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

export interface RegistrationOptions extends Omit<ClientRegistration, 'post' | 'clientId'> {
  readonly client: AuthenticatedClient;
  /** Sends requests that need client authentication. */
  readonly handler: Next;
}

/** A client of an issuer, which authenticates with every form that it sends. */
export function openRegistration({ client, handler, ...facts }: RegistrationOptions): ClientRegistration {
  const { issuer } = facts;
  const authenticate = clientAuthentication(client);
  return {
    ...facts,
    clientId: client.clientId,
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
