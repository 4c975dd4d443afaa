import type { Secret } from '../../contract/secret.ts';
import { secretId, text, url } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import type { HttpProxy } from '../heap/objects/proxy-options.ts';

/** Fields that say where a proxy is and who the gateway is to it. */
export const customProxyFields = {
  uri: url(['http'])
    .refine(({ username, password }) => username === '' && password === '', {
      error: "must hold no credentials: use 'username'",
    })
    .refine(({ pathname, search, hash }) => pathname === '/' && search === '' && hash === '', {
      error: 'must end with the host or the port',
    })
    .describe('URL of the proxy, such as `http://proxy.example:3128`.'),
  username: text()
    .refine((name) => /^[^:\p{Cc}]*$/u.test(name), { error: 'must hold no colon and no control character' })
    .optional()
    .describe('User name for a proxy that requires authentication.'),
  passwordSecretId: secretId().optional().describe('Id of the password, a GenericSecret.'),
  secretsProvider: ref('secretsProvider').optional().describe('Provider of the password.'),
};

/** The proxy at a place, to which the gateway shows this name and what `password` gives. */
export function customProxy(uri: URL, username: string | undefined, password: () => Promise<Secret>): HttpProxy {
  const host = uri.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = uri.port === '' ? 80 : Number(uri.port);
  if (username === undefined) return { host, port, authorization: () => Promise.resolve(null) };
  const name = Buffer.from(`${username}:`);
  return {
    host,
    port,
    async authorization() {
      const secret = await password();
      return `Basic ${Buffer.concat([name, secret.reveal()]).toString('base64')}`;
    },
  };
}
