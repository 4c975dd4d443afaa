import { z } from 'zod';
import { needs } from '../../contract/vocabulary/groups.ts';
import { customProxy, customProxyFields } from '../backends/custom-proxy.ts';
import { defineService } from '../heap/definition.ts';

/** A proxy for all requests. */
export const customProxyOptions = defineService({
  type: 'CustomProxyOptions',
  kind: 'proxyOptions',
  summary:
    'Sends all requests of a handler through one HTTP proxy. Requests to `http` backends are sent with the ' +
    'absolute URI; for `https` backends and WebSockets the gateway opens a tunnel (CONNECT). Credentials are ' +
    'sent with Basic authentication. A proxy takes the host from the URI, so the backend sees the host of the ' +
    '`baseURI` if it differs from the `Host` of the client.',
  config: z
    .strictObject(customProxyFields)
    .check(
      needs('username', 'passwordSecretId'),
      needs('passwordSecretId', 'username'),
      needs('passwordSecretId', 'secretsProvider'),
    ),
  examples: [
    { title: 'Without credentials', config: { uri: 'http://proxy.example:3128' } },
    {
      title: 'With a password from the environment variable PROXY_PASSWORD',
      config: {
        uri: 'http://proxy.example:3128',
        username: 'gateway',
        passwordSecretId: 'proxy.password',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  create({ uri, username, passwordSecretId, secretsProvider }, { resolve }) {
    const provider = secretsProvider === undefined ? null : resolve(secretsProvider);
    const proxy = customProxy(uri, username, () => provider!.active(passwordSecretId!));
    return { proxyFor: () => proxy };
  },
});
