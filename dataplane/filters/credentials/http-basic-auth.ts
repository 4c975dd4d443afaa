import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import type { Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';

/** Signs users in to an application that has Basic authentication. */
export const httpBasicAuthFilter = defineFilter({
  type: 'HttpBasicAuthFilter',
  summary:
    'Signs the user of a request in to an application with Basic authentication (RFC 7617). It replaces an ' +
    '`Authorization` header of the client by one with the user name and the password that the expressions give, in ' +
    'UTF-8, and removes `WWW-Authenticate` from responses, so that no browser asks for a password. A request for which ' +
    'there are no credentials, or whose credentials the application answers with 401, goes to the failure handler. A ' +
    'user name with a colon is answered with 500. Basic authentication hides nothing: use https to the application.',
  lendsCredentials: true,
  config: z.strictObject({
    username: runtimeText().describe('User name, such as `${attributes.credentials.user}`.'),
    password: runtimeText().describe('Password, such as `${attributes.credentials.password}`.'),
    failureHandler: ref('handler').describe('Answers where there are no credentials that the application accepts.'),
    cacheHeader: flag()
      .refine((isCached) => !isCached, {
        error: 'is not available in this version: credentials are computed for each request, only false can be given',
        params: { code: 'unavailable-field' },
      })
      .default(false)
      .describe('Whether the session keeps the credentials. Only `false` is available.'),
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
  create({ username, password, failureHandler }, parts) {
    const denied = denials(parts, ['login-refused', 'user-name'], failureHandler);

    function judge(response: Response, exchange: Exchange): Response | PromiseLike<Response> {
      response.headers.delete('WWW-Authenticate');
      if (response.status !== 401) return response;
      response.abandon();
      exchange.call?.cancel();
      return denied.refuse(exchange, 'login-refused', undefined, 'the application answered 401');
    }

    return function signIn(exchange, next) {
      const user = username.read(exchange, null);
      const secret = password.read(exchange, null);
      exchange.request.headers.delete('Authorization');
      if (user === null || secret === null) {
        return denied.refuse(exchange, 'login-refused', undefined, 'there are no credentials for the request');
      }
      if (user.includes(':')) return denied.answer(exchange, 'user-name');
      const credentials = Buffer.from(`${user}:${secret}`).toString('base64');
      exchange.request.headers.set('Authorization', `Basic ${credentials}`);
      return mapResponse(next(exchange), exchange, judge);
    };
  },
});
