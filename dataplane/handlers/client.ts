import { tlsRemarks } from '../backends/backend-tls.ts';
import { httpVersionRemarks } from '../backends/http-version.ts';
import { proxyRemarks } from '../backends/proxy-fields.ts';
import { sender } from '../backends/sender.ts';
import { senderConfig, sendsOn } from '../backends/sender-fields.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Refusal } from '../engine/message/refusal.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';

/** Sends requests of the gateway's own to other services. */
export const clientHandler = defineHandler({
  type: 'ClientHandler',
  summary:
    'Sends each request to the scheme, host and port of its URI and returns the response, as ReverseProxyHandler ' +
    'does. It is meant for requests of the gateway itself: if the service cannot be reached or does not answer, ' +
    'the chain fails and the client gets 500.',
  config: senderConfig,
  examples: [
    {
      title: 'Nearby services, with short timeouts',
      config: { connectionTimeout: '1 second', soTimeout: '3 seconds' },
    },
  ],
  remarks: (config) => [...httpVersionRemarks(config), ...tlsRemarks(config), ...proxyRemarks(config)],
  sendsOn,
  create(config, parts) {
    const send = sender(config, parts, isNoAnswer);
    return (exchange) => mapResponse(send(exchange), exchange, failWithoutAnswer);
  },
});

function failWithoutAnswer(response: Response, { request }: Exchange): Response {
  const { refusal, cause } = response;
  if (refusal === null || !isNoAnswer(refusal)) return response;
  throw new Error(
    `the request got no answer: ${refusal}${typeof cause === 'string' ? ` (${cause})` : ''} at ${request.uri.authority}`,
  );
}

function isNoAnswer(refusal: Refusal): boolean {
  return refusal.startsWith('backend-') && refusal !== 'backend-egress';
}
