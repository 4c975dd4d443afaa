import { z } from 'zod';
import { url } from '../../../contract/vocabulary/configured.ts';
import { exclusive, needs, oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { type RuntimeExpression, runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { FailureLog } from '../../backends/failure-log.ts';
import { callHandler } from '../../engine/backend/own-call.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { emptyRefusal } from '../../engine/message/response.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { timeClaim } from '../../jose/claims.ts';
import { readJws } from '../../jose/compact-jws.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { requiredScopes, scopeEntry } from '../required-scopes.ts';
import { ExchangeFailed, issuedToken } from './exchange-answer.ts';
import { ExchangedTokens, type IssuedToken } from './exchanged-tokens.ts';
import { formEncoded } from './form-encoding.ts';
import { tokenType } from './token-type.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
/** Where the issued token is: the name that expressions use, and the one that OpenIG documents also use. */
const CONTEXTS = ['oauth2TokenExchange', 'OAuth2TokenExchangeContext'];

const texts = () => z.union([z.array(runtimeText()), runtimeText()]);

/** Exchanges the token of a request for another one. */
export const oauth2TokenExchangeFilter = defineFilter({
  type: 'OAuth2TokenExchangeFilter',
  summary:
    'Exchanges a token of the request for another token at an authorization server (RFC 8693). The result is in ' +
    '`contexts.oauth2TokenExchange`, with `issuedToken`, `issuedTokenType` and `scopes`; the filter does not change the ' +
    'request, so put a HeaderFilter behind it to send the issued token. Each unit of the gateway caches issued tokens, by ' +
    'everything that was sent for them, until shortly before they expire and never longer than a JWT that is the subject ' +
    'token; tokens without an expiry are not cached. Equal requests at the same time share one call. A request without a ' +
    'subject token (401), an exchange that the authorization server refuses (403) and a server that gives no usable ' +
    'answer (502) go to the failure handler, with `contexts.oauth2Failure` (`error`, `description`).',
  lendsCredentials: true,
  config: z
    .strictObject({
      amService: ref('amService')
        .optional()
        .describe('Access manager with the token endpoint: `<url>/oauth2/realms/…/access_token` of its realm.'),
      endpoint: url()
        .refine(({ username, password, hash }) => username === '' && password === '' && hash === '', {
          error: 'must not contain credentials or a fragment',
        })
        .optional()
        .describe('URL of the token endpoint of any other authorization server.'),
      subjectToken: runtimeText().describe(
        'Token of the user for whom the new token is, such as `${contexts.oauth2.accessToken.token}`.',
      ),
      subjectTokenType: tokenType()
        .prefault('URN_ACCESS_TOKEN')
        .describe(
          'Type of the subject token: `URN_ACCESS_TOKEN`, `URN_REFRESH_TOKEN`, `URN_ID_TOKEN`, `URN_JWT`, `URN_SAML1`, ' +
            '`URN_SAML2` or a URI.',
        ),
      actorToken: runtimeText()
        .optional()
        .describe('Token of the party that acts for the user. Without a value for a request, none is sent.'),
      actorTokenType: tokenType()
        .optional()
        .describe('Type of the actor token, as for the subject token; by default `URN_ACCESS_TOKEN`.'),
      requestedTokenType: tokenType()
        .optional()
        .describe('Type of the token to issue; by default the authorization server decides.'),
      scopes: z
        .union([z.array(scopeEntry()), ref('resourceAccess')])
        .default([])
        .describe(
          'Scopes to ask for: each a scope, a list of scopes, or an expression that gives one or the other. Without ' +
            'any, the authorization server decides.',
        ),
      resource: texts().optional().describe('URI of the service that will get the token, or an array of URIs.'),
      audience: texts().optional().describe('Name of the service that will get the token, or an array of names.'),
      endpointHandler: ref('handler').describe(
        'Sends the request and authenticates the gateway: a Chain with, for example, a ' +
          'PrivateKeyJwtClientAuthenticationFilter in front of a ClientHandler.',
      ),
      failureHandler: ref('handler')
        .optional()
        .describe('Answers when there is no token; by default with an empty 401, 403 or 502.'),
    })
    .check(
      exclusive('amService', 'endpoint'),
      oneRequired('amService', 'endpoint'),
      needs('actorTokenType', 'actorToken'),
    ),
  examples: [
    {
      title: 'A token for an internal service, sent by the HeaderFilter behind it',
      config: {
        endpoint: 'https://as.example.com/token',
        subjectToken: '${contexts.oauth2.accessToken.token}',
        audience: 'orders',
        scopes: ['orders:read'],
        endpointHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'PrivateKeyJwtClientAuthenticationFilter',
                config: {
                  clientId: 'gateway',
                  tokenEndpoint: 'https://as.example.com/token',
                  signingSecretId: 'client.key',
                  signingAlgorithm: 'ES256',
                  secretsProvider: {
                    type: 'FileSystemSecretStore',
                    config: {
                      directory: '/etc/gatewarden/secrets',
                      suffix: '.pem',
                      format: { type: 'PemPropertyFormat' },
                    },
                  },
                },
              },
            ],
            handler: 'ForgeRockClientHandler',
          },
        },
      },
    },
  ],
  remarks: ({ endpoint }) =>
    endpoint === undefined ? [] : clearTextRemarks('endpoint', endpoint, 'tokens travel unencrypted'),
  ownCalls: ['endpointHandler'],
  create(config, parts) {
    const { resolve, log, onClose } = parts;
    const { subjectToken, actorToken, scopes } = config;
    const denied = denials(parts, ['no-token', 'exchange-refused', 'no-client-token'], config.failureHandler);
    const am = config.amService === undefined ? null : resolve(config.amService);
    const uri = am === null ? config.endpoint!.href : am.oauth2Endpoint('access_token');
    const handler = resolve(config.endpointHandler);
    const access = Array.isArray(scopes) ? null : resolve(scopes);
    const listed = Array.isArray(scopes) ? requiredScopes(scopes) : null;
    const resources = listOf(config.resource);
    const audiences = listOf(config.audience);
    const tokens = new ExchangedTokens();
    const failures = new FailureLog(log);
    onClose(() => failures.close());

    function formFor(exchange: Exchange, subject: string, wanted: readonly string[]): string {
      const actor = actorToken?.read(exchange, null) ?? null;
      const actorType = config.actorTokenType ?? 'urn:ietf:params:oauth:token-type:access_token';
      const fields: (readonly [string, string])[] = [
        ['grant_type', GRANT],
        ...valuesOf(resources, exchange).map((value) => ['resource', value] as const),
        ...valuesOf(audiences, exchange).map((value) => ['audience', value] as const),
        ...(wanted.length === 0 ? [] : [['scope', wanted.join(' ')] as const]),
        ...(config.requestedTokenType === undefined
          ? []
          : [['requested_token_type', config.requestedTokenType] as const]),
        ['subject_token', subject],
        ['subject_token_type', config.subjectTokenType],
        ...(actor === null || actor === ''
          ? []
          : ([
              ['actor_token', actor],
              ['actor_token_type', actorType],
            ] as const)),
      ];
      return fields.map(([name, value]) => `${name}=${formEncoded(value)}`).join('&');
    }

    function pass(exchange: Exchange, next: Next, { token, type, scopes: granted }: IssuedToken): Answer {
      const context = { issuedToken: token, issuedTokenType: type, scopes: granted };
      for (const name of CONTEXTS) exchange.setContext(name, context);
      return next(exchange);
    }

    function fail(exchange: Exchange, error: unknown): Answer {
      const { code, isRefused } = error instanceof ExchangeFailed ? error : { code: 'server_error', isRefused: false };
      const reason = errorText(error);
      if (!isRefused) failures.add(null, new URL(uri).host, reason, 'could not exchange a token');
      failureContext(exchange, code, reason);
      return denied.refuse(exchange, isRefused ? 'exchange-refused' : 'no-client-token', undefined, reason);
    }

    async function exchanged(exchange: Exchange, next: Next, subject: string): Promise<Awaited<Answer>> {
      let issued: IssuedToken;
      try {
        const wanted = access === null ? listed!(exchange) : [...(await access.scopes(exchange))];
        const form = formFor(exchange, subject, wanted);
        issued = await tokens.take(form, endOf(subject), exchange, async (content, parent) =>
          issuedToken(
            await callHandler(handler, { method: 'POST', uri, headers: HEADERS, content }, { parent }),
            wanted,
          ),
        );
      } catch (error) {
        return fail(exchange, error);
      }
      return exchange.over ? emptyRefusal('cancelled') : pass(exchange, next, issued);
    }

    return function exchangeToken(exchange, next) {
      const subject = subjectToken.read(exchange, null);
      if (subject !== null && subject !== '') return exchanged(exchange, next, subject);
      failureContext(exchange, 'invalid_request', 'there is no subject token');
      return denied.refuse(exchange, 'no-token', undefined, 'there is no subject token to exchange');
    };
  },
});

function failureContext(exchange: Exchange, error: string, description: string): void {
  exchange.setContext('oauth2Failure', { error, description, exception: null, scope: null });
}

type Texts = readonly RuntimeExpression<string>[];

function listOf(given: RuntimeExpression<string> | Texts | undefined): Texts {
  if (given === undefined) return [];
  return 'read' in given ? [given] : given;
}

function valuesOf(expressions: Texts, exchange: Exchange): string[] {
  return expressions
    .map((one) => one.read(exchange, null))
    .filter((value) => value !== null && value !== '') as string[];
}

/** When a JWT says that it expires, in milliseconds since 1970. Nobody verified it: it can only shorten a cache time. */
function endOf(token: string): number {
  const jws = readJws(token);
  const claims = jws === null ? null : readJsonObject(jws.payload);
  return (claims === null ? null : timeClaim(claims, 'exp')) ?? Number.POSITIVE_INFINITY;
}
