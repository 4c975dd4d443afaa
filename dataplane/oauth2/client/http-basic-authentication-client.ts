import { z } from 'zod';
import { flag, secretId } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { defineFilter } from '../../heap/definition.ts';
import { basicCredentials } from './basic-credentials.ts';

/** Proves the gateway to a service with a name and a password. */
export const httpBasicAuthenticationClientFilter = defineFilter({
  type: 'HttpBasicAuthenticationClientFilter',
  summary:
    'Sends the name and the password of the gateway with each request, in an `Authorization` header of Basic ' +
    'authentication (RFC 7617); one that the request had is replaced. It is for services that know the gateway, not its ' +
    'users. The password is asked for each time, so that a new one is used at once; without it the request ends with ' +
    '500. Basic authentication hides nothing: the connection must be secure.',
  lendsCredentials: true,
  config: z
    .strictObject({
      username: printable().describe('Name of the gateway, without a colon unless it is encoded.'),
      passwordSecretId: secretId().describe('Id of the password, which is a GenericSecret.'),
      secretsProvider: ref('secretsProvider').describe('Provider of the password.'),
      urlEncodeCredentials: flag()
        .default(false)
        .describe('Whether name and password are each written as in a form before they are put together.'),
    })
    .check(({ value, issues }) => {
      if (value.urlEncodeCredentials || !value.username.includes(':')) return;
      const message = 'must hold no colon, which ends the name in Basic authentication';
      issues.push({ code: 'custom', message, input: value, path: ['username'], params: { code: 'value' } });
    }),
  examples: [
    {
      title: 'A service that knows the gateway by a password',
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
