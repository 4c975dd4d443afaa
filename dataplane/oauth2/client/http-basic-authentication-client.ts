import { z } from 'zod';
import { flag, secretId } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { defineFilter } from '../../heap/definition.ts';
import { basicCredentials } from './basic-credentials.ts';

/** Proves the gateway to a service with a name and a password. */
export const httpBasicAuthenticationClientFilter = defineFilter({
  type: 'HttpBasicAuthenticationClientFilter',
  summary:
    'Sends user name and password of the gateway with each request, in an `Authorization` header of Basic ' +
    'authentication (RFC 7617); an existing header is replaced. It is for services that authenticate the ' +
    'gateway, not its users. The password is looked up for each request, so a new password is used at once. ' +
    'Without it the request fails with 500. Basic authentication does not encrypt: the connection must use TLS.',
  lendsCredentials: true,
  config: z
    .strictObject({
      username: printable().describe('User name of the gateway; a colon is allowed only if it is encoded.'),
      passwordSecretId: secretId().describe('Id of the password, a GenericSecret.'),
      secretsProvider: ref('secretsProvider').describe('Provider of the password.'),
      urlEncodeCredentials: flag()
        .default(false)
        .describe('Whether name and password are form-encoded before they are joined.'),
    })
    .check(
      rulesAbout(['urlEncodeCredentials', 'username'], ({ urlEncodeCredentials, username }, add) => {
        if (urlEncodeCredentials || !username.includes(':')) return;
        add(['username'], 'must hold no colon, which ends the name in Basic authentication');
      }),
    ),
  examples: [
    {
      title: 'A service that authenticates the gateway by a password',
      config: {
        username: 'gateway',
        passwordSecretId: 'service.password',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  create({ username, passwordSecretId, secretsProvider, urlEncodeCredentials }, { resolve }) {
    const provider = resolve(secretsProvider);
    return async function sendPassword(exchange, next) {
      const password = await provider.active(passwordSecretId);
      exchange.request.headers.set('Authorization', basicCredentials(username, password, urlEncodeCredentials));
      return next(exchange);
    };
  },
});
