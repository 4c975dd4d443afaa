import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { UnsentRequest } from '../../engine/message/unsent-request.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { type KeptCredentials, keptCredentials } from './kept-credentials.ts';

/** Signs users in to an application that has Basic authentication. */
export const httpBasicAuthFilter = defineFilter({
  type: 'HttpBasicAuthFilter',
  summary:
    'Signs the user of a request in to an application with Basic authentication (RFC 7617). It replaces an ' +
    '`Authorization` header of the client by one with the user name and the password that the expressions give, in ' +
    'UTF-8, and removes `WWW-Authenticate` from responses, so that no browser asks for a password. If the application ' +
    'answers credentials of the session with 401, the filter sends the request once more with those of the expressions, ' +
    'unless its body has passed through. A request for which there are no credentials, or whose credentials the ' +
    'application answers with 401, goes to the failure handler. A user name with a colon is answered with 500. Basic ' +
    'authentication hides nothing: use https to the application.',
  lendsCredentials: true,
  config: z.strictObject({
    username: runtimeText().describe('User name, such as `${attributes.credentials.user}`.'),
    password: runtimeText().describe('Password, such as `${attributes.credentials.password}`.'),
    failureHandler: ref('handler').describe('Answers where there are no credentials that the application accepts.'),
    cacheHeader: flag()
      .default(true)
      .describe(
        'Keeps accepted credentials in the session, for each scheme, host and port of the application. Later requests ' +
          'of the same user use them, also where the expressions give none. A `username` of another user ends that.',
      ),
  }),
  examples: [
    {
      title: 'Credentials that a FileAttributesFilter has looked up',
      config: {
        username: '${attributes.credentials.user}',
        password: '${attributes.credentials.password}',
        failureHandler: { type: 'StaticResponseHandler', config: { status: 403, entity: 'no access' } },
      },
    },
  ],
  create({ username, password, failureHandler, cacheHeader }, parts) {
    const denied = denials(parts, ['login-refused', 'user-name'], failureHandler);

    function send(exchange: Exchange, next: Next, credentials: string): Answer {
      exchange.request.headers.set('Authorization', `Basic ${credentials}`);
      return next(exchange);
    }

    function refuse(exchange: Exchange, reason: string): Response | PromiseLike<Response> {
      return denied.refuse(exchange, 'login-refused', undefined, reason);
    }

    function sendFresh(exchange: Exchange, next: Next, credentials: string, kept: KeptCredentials | null): Answer {
      return mapResponse(send(exchange, next, credentials), exchange, (response) => {
        response.headers.delete('WWW-Authenticate');
        if (response.status === 401) {
          drop(response, exchange);
          return refuse(exchange, 'the application answered 401');
        }
        kept?.keep(credentials);
        return response;
      });
    }

    function sendKept(exchange: Exchange, next: Next, kept: KeptCredentials, fresh: string | null): Answer {
      const before = new UnsentRequest(exchange.request);
      return mapResponse(send(exchange, next, kept.credentials!), exchange, (response) => {
        response.headers.delete('WWW-Authenticate');
        if (response.status !== 401) return response;
        kept.forget();
        drop(response, exchange);
        if (fresh === null || exchange.over) return refuse(exchange, 'the application answered 401');
        if (!before.isAtHand)
          return refuse(exchange, 'the application answered 401, and the body cannot be sent again');
        before.restore();
        return sendFresh(exchange, next, fresh, kept);
      });
    }

    return function signIn(exchange, next) {
      const user = username.read(exchange, null);
      const secret = password.read(exchange, null);
      exchange.request.headers.delete('Authorization');
      if (user?.includes(':') === true) return denied.answer(exchange, 'user-name');
      const fresh = user === null || secret === null ? null : Buffer.from(`${user}:${secret}`).toString('base64');
      const kept = cacheHeader ? keptCredentials(exchange) : null;
      if (kept !== null && kept.credentials !== fresh && kept.isOf(user)) return sendKept(exchange, next, kept, fresh);
      if (fresh === null) return refuse(exchange, 'there are no credentials for the request');
      return sendFresh(exchange, next, fresh, kept);
    };
  },
});

/** Ends a response that the client does not get. */
function drop(response: Response, exchange: Exchange): void {
  response.abandon();
  exchange.call?.cancel();
  exchange.goesOn();
}
