import { errorText } from '../../../platform/error-text.ts';
import { FailureLog } from '../../backends/failure-log.ts';
import type { Answer, Exchange, Filter, Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import { UnsentRequest } from '../../engine/message/unsent-request.ts';
import type { Parts } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { KeptToken, type UsableToken } from './kept-token.ts';
import type { GrantedToken } from './token-answer.ts';

/**
 * A filter that sends one access token of the gateway with all requests, and gets another when a service answers 401.
 * @param server what the log calls the authorization server
 * @param fetchToken gets a token, for a request that needs it
 */
export function sendsServiceToken(
  server: string,
  fetchToken: (parent: Exchange) => Promise<GrantedToken>,
  parts: Parts,
): Filter {
  const { log, onClose } = parts;
  const denied = denials(parts, ['no-client-token']);
  const failures = new FailureLog(log);
  onClose(() => failures.close());
  const tokens = new KeptToken(fetchToken);

  function send(exchange: Exchange, next: Next, token: UsableToken): Answer {
    exchange.request.headers.set('Authorization', token.authorization);
    return next(exchange);
  }

  /** @returns null when there is none, of which the log has been told. */
  async function heard(token: Promise<UsableToken>): Promise<UsableToken | null> {
    try {
      return await token;
    } catch (error) {
      const reason = errorText(error);
      failures.add(null, server, reason, 'could not get an access token for a service');
      return null;
    }
  }

  async function sendNew(exchange: Exchange, next: Next): Promise<Response> {
    const token = await heard(tokens.take(exchange));
    if (token === null) return denied.answer(exchange, 'no-client-token');
    if (exchange.over) return emptyRefusal('cancelled');
    const before = new UnsentRequest(exchange.request);
    const response = await send(exchange, next, token);
    return response.status === 401 ? sendAgain(exchange, next, token, before, response) : response;
  }

  async function sendAgain(
    exchange: Exchange,
    next: Next,
    refused: UsableToken,
    before: UnsentRequest,
    response: Response,
  ): Promise<Response> {
    const instead = exchange.over ? null : tokens.instead(refused, exchange);
    if (instead === null) return response;
    const hearing = heard(instead); // the next request needs it, also where this one cannot be sent again
    if (!before.isAtHand) return response;
    const token = await hearing;
    if (token === null || exchange.over) return response;
    before.restore();
    response.abandon();
    exchange.call?.cancel();
    exchange.goesOn();
    return send(exchange, next, token);
  }

  return function sendToken(exchange, next) {
    if (exchange.over) return emptyRefusal('cancelled'); // the client has gone, and others may wait for what is got for it
    const token = tokens.current;
    if (token === null) return sendNew(exchange, next);
    const before = new UnsentRequest(exchange.request);
    return mapResponse(send(exchange, next, token), exchange, (response) =>
      response.status === 401 ? sendAgain(exchange, next, token, before, response) : response,
    );
  };
}
