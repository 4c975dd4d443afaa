import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type AuthorizationServer, CLIENT } from './authorization-server.ts';
import { secretFolder } from './secret-folder.ts';

/** A resolver, as a document declares it, that asks a server about tokens with the name and the secret of a client. */
export function introspectingResolver(server: AuthorizationServer): JsonObject {
  const directory = secretFolder({ 'client.secret': CLIENT.secret });
  const secretsProvider = { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } };
  const config = { clientId: CLIENT.id, clientSecretId: 'client.secret', secretsProvider };
  const filters = [{ type: 'ClientSecretBasicAuthenticationFilter', config }];
  const providerHandler = { type: 'Chain', config: { filters, handler: 'ForgeRockClientHandler' } };
  return {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: server.endpoints.introspection, providerHandler },
  };
}
