import { z } from 'zod';
import { needs } from '../../contract/vocabulary/groups.ts';
import { customProxy, customProxyFields } from '../backends/custom-proxy.ts';
import { defineService } from '../heap/definition.ts';

/** A proxy for all requests. */
export const customProxyOptions = defineService({
  type: 'CustomProxyOptions',
  kind: 'proxyOptions',
  summary:
    'All requests of a handler go through one HTTP proxy: those to `http` backends are sent to it with the whole URI, ' +
    'for `https` backends and for WebSockets it is asked for a tunnel (CONNECT). A proxy that wants credentials gets ' +
    'them with Basic authentication. A proxy takes the host from the URI, so that a backend behind it sees the host of ' +
    'the `baseURI` where that differs from the `Host` of the client.',
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
