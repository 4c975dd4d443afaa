import { z } from 'zod';
import { secretId, url } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { callHandler } from '../../engine/backend/own-call.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineFilter } from '../../heap/definition.ts';
import { formEncoded } from './form-encoding.ts';
import { scopeList } from './scope-list.ts';
import { sendsServiceToken } from './service-token.ts';
import { type GrantedToken, grantedToken } from './token-answer.ts';

const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

/** Gets an access token with a user name and a password and sends it with requests. */
export const resourceOwnerOAuth2ClientFilter = defineFilter({
  type: 'ResourceOwnerOAuth2ClientFilter',
  summary:
    'Gets an access token with the name and the password of one user, by the grant `password` (RFC 6749, section 4.3), ' +
    'and sends it with each request in an `Authorization: Bearer` header, which replaces the header of the request. The ' +
    'grant is obsolete: use it only for authorization servers that offer no other one to a service, and a ' +
    'ClientCredentialsOAuth2ClientFilter otherwise. The token is cached until shortly before it expires, for one minute ' +
    'if the authorization server gives no expiry. Requests that need a token at the same time wait for the same one. ' +
    'When a service answers 401, the filter gets a new token, at most every 10 seconds, and sends the request once more ' +
    'if its content is available. The password is read from its store for each token. When the filter gets no token, it ' +
    'answers with an empty 502, and the log has the reason. Each unit of the gateway has its own token.',
  lendsCredentials: true,
  config: z.strictObject({
    tokenEndpoint: url()
      .refine(({ username, password, hash }) => username === '' && password === '' && hash === '', {
        error: 'must not contain credentials or a fragment',
      })
      .describe('URL of the token endpoint of the authorization server.'),
    username: printable().describe('Name of the user.'),
    passwordSecretId: secretId().describe('Id of the password of the user, a GenericSecret.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the password, asked for each token.'),
    scopes: scopeList().default([]).describe('Scopes to ask for; without any, the authorization server decides.'),
    endpointHandler: ref('handler')
      .prefault('ForgeRockClientHandler')
      .describe(
        'Sends the request to the token endpoint and authenticates the gateway there: a Chain with, for example, a ' +
          'ClientSecretBasicAuthenticationFilter in front of a ClientHandler. The default does not authenticate.',
      ),
  }),
  examples: [
    {
      title: 'One account for a backend that knows only users',
      config: {
        tokenEndpoint: 'https://as.example.com/oauth2/access_token',
        username: 'gateway-account',
        passwordSecretId: 'account.password',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
        scopes: ['orders.read'],
        endpointHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'ClientSecretBasicAuthenticationFilter',
                config: {
                  clientId: 'gateway',
                  clientSecretId: 'client.secret',
                  secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
                },
              },
            ],
            handler: 'ForgeRockClientHandler',
          },
        },
      },
    },
  ],
  remarks: ({ tokenEndpoint }) =>
    clearTextRemarks('tokenEndpoint', tokenEndpoint, 'the password and tokens travel unencrypted'),
  ownCalls: ['endpointHandler'],
  create(config, parts) {
    const { resolve } = parts;
    const { scopes, username, passwordSecretId } = config;
    const endpointHandler = resolve(config.endpointHandler);
    const provider = resolve(config.secretsProvider);
    const uri = config.tokenEndpoint.href;
    const scope = scopes.length === 0 ? '' : `&scope=${formEncoded(scopes.join(' '))}`;

    async function fetchToken(parent: Exchange): Promise<GrantedToken> {
      const password = await provider.active(passwordSecretId);
      const credentials = `username=${formEncoded(username)}&password=${formEncoded(password.reveal())}`;
      const content = `grant_type=password&${credentials}${scope}`;
      const request = { method: 'POST', uri, headers: HEADERS, content };
      return grantedToken(await callHandler(endpointHandler, request, { parent }));
    }

    return sendsServiceToken(config.tokenEndpoint.host, fetchToken, parts);
  },
});
