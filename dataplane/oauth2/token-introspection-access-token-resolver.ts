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
    'Asks an authorization server about each access token, by token introspection (RFC 7662). A token is good when the ' +
    'answer has the status 200 and is JSON that says `"active": true`; it is good until its `exp`, and for the names ' +
    'in its `scope`. Everything else, also a server that cannot be reached or does not know the gateway, is a token ' +
    'that is not valid; the log says when that is not the fault of the token. An answer with the status 400 and the ' +
    'error `invalid_request` makes the request of the client an invalid one.',
  config: z
    .strictObject({
      amService: ref('amService')
        .optional()
        .describe('Access manager to ask, at the introspection endpoint of its realm. Wins over `endpoint`.'),
      endpoint: url()
        .refine(({ username, password }) => username === '' && password === '', {
          error: "must hold no credentials: use 'providerHandler'",
        })
        .optional()
        .describe('Introspection endpoint of any other authorization server.'),
      providerHandler: ref('handler')
        .prefault('ForgeRockClientHandler')
        .describe(
          'Sends the requests, also those to an `amService`. It has to say who the gateway is, such as a Chain with a ' +
            'ClientSecretBasicAuthenticationFilter: authorization servers tell strangers nothing.',
        ),
      ...requirementFields,
    })
    .check(oneRequired('amService', 'endpoint')),
  examples: [
    {
      title: 'An authorization server that knows the gateway by a secret',
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
