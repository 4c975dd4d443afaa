import { z } from 'zod';
import { url } from '../../contract/vocabulary/configured.ts';
import { oneRequired } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import { FailureLog } from '../backends/failure-log.ts';
import { callHandler, ParentGone } from '../engine/backend/own-call.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { Uri } from '../engine/message/uri.ts';
import { clearTextRemarks } from '../heap/clear-text-remark.ts';
import { defineService } from '../heap/definition.ts';
import { invalidToken, type Resolution } from '../heap/objects/access-tokens.ts';
import { type Judgement, judgeAnswer, trouble } from './introspection-answer.ts';
import { requirementFields, requirementsOf } from './token-requirements.ts';

const HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

/** Asks an authorization server what an access token is worth. */
export const tokenIntrospectionAccessTokenResolver = defineService({
  type: 'TokenIntrospectionAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Validates each access token by token introspection (RFC 7662) at an authorization server. A token is valid ' +
    'if the response has status 200 and is JSON with `"active": true`; it is valid until its `exp` and has the ' +
    'scopes in `scope`. In all other cases the token is not valid, also if the server cannot be reached or ' +
    'rejects the gateway; the log says if the token is not the cause. A response with status 400 and the error ' +
    '`invalid_request` makes the request of the client invalid.',
  config: z
    .strictObject({
      amService: ref('amService')
        .optional()
        .describe('Access manager whose realm has the introspection endpoint. Overrides `endpoint`.'),
      endpoint: url()
        .refine(({ username, password }) => username === '' && password === '', {
          error: "must hold no credentials: use 'providerHandler'",
        })
        .optional()
        .describe('Introspection endpoint of any other authorization server.'),
      providerHandler: ref('handler')
        .prefault('ForgeRockClientHandler')
        .describe(
          'Handler that sends the requests, also those to an `amService`. It must authenticate the gateway, for ' +
            'instance a Chain with a ClientSecretBasicAuthenticationFilter, because authorization servers do not answer ' +
            'unknown clients.',
        ),
      ...requirementFields,
    })
    .check(oneRequired('amService', 'endpoint')),
  examples: [
    {
      title: 'An authorization server that authenticates the gateway by a secret',
      config: {
        endpoint: 'https://as.example.com/introspect',
        providerHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'ClientSecretBasicAuthenticationFilter',
                config: {
                  clientId: 'gateway',
                  clientSecretId: 'introspection.secret',
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
  remarks({ amService, endpoint }) {
    if (endpoint === undefined) return [];
    if (amService !== undefined) {
      return [{ at: ['endpoint'], code: 'no-effect', message: "has no effect: 'amService' wins over it" }];
    }
    return clearTextRemarks(
      'endpoint',
      endpoint,
      'tokens travel unencrypted, and anyone on the path can declare any token valid',
    );
  },
  create(config, { resolve, onClose, log }) {
    const place = config.amService === undefined ? null : resolve(config.amService).oauth2Endpoint('introspect');
    const uri = Uri.parse(place ?? config.endpoint!.href);
    const handler = resolve(config.providerHandler);
    const unmet = requirementsOf(config);
    const failures = new FailureLog(log);
    onClose(() => failures.close());

    async function ask(token: string, exchange: Exchange): Promise<Judgement> {
      const content = `token=${encodeURIComponent(token)}&token_type_hint=access_token`;
      try {
        const request = { method: 'POST', uri, headers: HEADERS, content };
        const answer = await callHandler(handler, request, { parent: exchange, endsWithParent: true });
        return judgeAnswer(answer, token, Date.now());
      } catch (error) {
        if (error instanceof ParentGone) throw error;
        return trouble(errorText(error), error);
      }
    }

    return {
      async resolve(token, exchange): Promise<Resolution> {
        const judgement = await ask(token, exchange);
        if (judgement.kind === 'token') {
          const lack = unmet(judgement.info);
          return lack === null ? judgement : invalidToken('the token is not valid', lack);
        }
        if (judgement.kind === 'refusal') return judgement;
        failures.add(null, uri.authority, judgement.reason, 'token introspection failed');
        return judgement.refusal;
      },
    };
  },
});
