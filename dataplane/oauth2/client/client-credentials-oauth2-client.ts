import { z } from 'zod';
import { secretId, url } from '../../../contract/vocabulary/configured.ts';
import { deprecated } from '../../../contract/vocabulary/field-notes.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { callHandler } from '../../engine/backend/own-call.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import type { Response } from '../../engine/message/response.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineFilter } from '../../heap/definition.ts';
import { basicCredentials } from './basic-credentials.ts';
import { formEncoded } from './form-encoding.ts';
import { scopeList } from './scope-list.ts';
import { sendsServiceToken } from './service-token.ts';
import { type GrantedToken, grantedToken } from './token-answer.ts';

const NOT_AUTHENTICATING = 'ForgeRockClientHandler';
const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

/** Gets an access token for the gateway itself and sends it with requests. */
export const clientCredentialsOAuth2ClientFilter = defineFilter({
  type: 'ClientCredentialsOAuth2ClientFilter',
  summary:
    'Gets an access token for the gateway itself with the grant `client_credentials`, and sends it with each ' +
    'request in an `Authorization: Bearer` header, which replaces that of the request. It is for services that ' +
    'authenticate the gateway, not its users. A token is renewed shortly before it expires (a second and a tenth ' +
    'of its lifetime, 10 seconds at most). If the authorization server sends no lifetime, it is one minute. ' +
    'Concurrent requests share one token request. If a service answers 401, the filter gets a new token and ' +
    'sends the original request once more, if its content is available, and at most every 10 seconds. If there ' +
    'is no token, the request gets an empty 502 and the log says why. Each unit of the gateway has its own token.',
  lendsCredentials: true,
  config: z
    .strictObject({
      tokenEndpoint: url()
        .refine(({ username, password, hash }) => username === '' && password === '' && hash === '', {
          error: 'must hold neither credentials nor a fragment',
        })
        .describe('URL of the token endpoint of the authorization server.'),
      scopes: scopeList().default([]).describe('Scopes to ask for; without any, the authorization server decides.'),
      endpointHandler: ref('handler')
        .prefault(NOT_AUTHENTICATING)
        .describe(
          'Sends the request to the token endpoint and authenticates the gateway there: a Chain with, for instance, a ' +
            'ClientSecretBasicAuthenticationFilter in front of a ClientHandler. The default does not authenticate.',
        ),
      clientId: printable()
        .optional()
        .describe('Client id of the gateway, sent as `client_id` if the authorization server requires it in the form.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the client secret.'),
      clientSecretId: deprecated(
        secretId(),
        "a ClientSecretBasicAuthenticationFilter in the 'endpointHandler'",
      ).describe('Id of the client secret, a GenericSecret, which is sent by `client_secret_basic`.'),
      handler: deprecated(ref('handler'), "'endpointHandler'").describe('The same as `endpointHandler`.'),
    })
    .check(
      needs('clientSecretId', 'clientId'),
      needs('clientSecretId', 'secretsProvider'),
      rulesAbout(['handler', 'endpointHandler'], ({ handler, endpointHandler }, add) => {
        if (handler === undefined || endpointHandler.name === NOT_AUTHENTICATING) return;
        add(['handler'], "'endpointHandler' and 'handler' cannot be given together", 'exclusive');
      }),
    ),
  examples: [
    {
      title: 'A client with a secret',
      config: {
        tokenEndpoint: 'https://as.example.com/oauth2/access_token',
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
  remarks({ tokenEndpoint, secretsProvider, clientSecretId }) {
    return [
      ...clearTextRemarks('tokenEndpoint', tokenEndpoint, 'tokens travel unencrypted'),
      ...(secretsProvider !== undefined && clientSecretId === undefined
        ? [
            {
              at: ['secretsProvider'],
              code: 'no-effect' as const,
              message: 'has no effect: the filters of the endpointHandler have providers of their own',
            },
          ]
        : []),
    ];
  },
  ownCalls: ['endpointHandler', 'handler'],
  create(config, parts) {
    const { resolve } = parts;
    const { scopes, clientSecretId, secretsProvider } = config;
    const uri = config.tokenEndpoint.href;
    const endpointHandler = resolve(config.handler ?? config.endpointHandler);
    const provider = secretsProvider === undefined ? null : resolve(secretsProvider);
    const content = [
      'grant_type=client_credentials',
      ...(scopes.length === 0 ? [] : [`scope=${formEncoded(scopes.join(' '))}`]),
      ...(config.clientId === undefined ? [] : [`client_id=${formEncoded(config.clientId)}`]),
    ].join('&');
    const endpoint: Next = clientSecretId === undefined ? endpointHandler : authenticated;

    async function authenticated(exchange: Exchange): Promise<Response> {
      const secret = await provider!.active(clientSecretId!);
      exchange.request.headers.set('Authorization', basicCredentials(config.clientId!, secret, true));
      return endpointHandler(exchange);
    }

    async function fetchToken(parent: Exchange): Promise<GrantedToken> {
      return grantedToken(await callHandler(endpoint, { method: 'POST', uri, headers: HEADERS, content }, { parent }));
    }

    return sendsServiceToken(config.tokenEndpoint.host, fetchToken, parts);
  },
});
