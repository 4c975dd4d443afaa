import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Duration } from '../../contract/duration.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import { callHandler } from '../engine/backend/own-call.ts';
import type { Tunnel } from '../engine/backend/tunnel.ts';
import type { Next } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import { refusalResponse } from '../engine/message/response.ts';
import { Uri } from '../engine/message/uri.ts';
import { acceptFor } from '../engine/websocket/accept-key.ts';
import type { Parts } from '../heap/definition.ts';
import { backendSets } from './backend-sets.ts';
import { BackendWays } from './backend-ways.ts';
import { senderFields } from './sender-fields.ts';
import { milliseconds } from './timeout.ts';
import { backendWebSockets, type websocketFields } from './websocket-fields.ts';

/** How WebSockets of the gateway itself are opened. */
export interface WebSocketDialConfig {
  readonly tls?: Reference<'tlsOptions'> | undefined;
  readonly proxyOptions: Reference<'proxyOptions'>;
  readonly connectionTimeout: Duration;
  readonly vertx: z.output<typeof websocketFields>['vertx'];
}

/** The server does not switch to WebSocket; `status` is that of its response, or null without one. */
export class DialFailure extends Error {
  readonly status: number | null;

  constructor(reason: string, status: number | null) {
    super(reason);
    this.name = 'DialFailure';
    this.status = status;
  }
}

/** Opens a WebSocket at a URL (http or https) with these headers. Rejects with DialFailure. */
export type DialWebSocket = (
  url: string,
  subprotocol: string,
  headers: Readonly<Record<string, string>>,
) => Promise<Tunnel>;

const DEFAULT_TIMEOUT = 60_000;

/** Opens WebSockets with the TLS options, the proxy and the egress rules of an object, as handlers do for clients. */
export function webSocketDial(given: WebSocketDialConfig, parts: Parts): DialWebSocket {
  const defaults = z.strictObject(senderFields).parse({ asyncBehavior: 'streaming', disableReuseConnection: true });
  const { tls, proxyOptions, connectionTimeout } = given;
  const config = {
    ...defaults,
    tls,
    proxyOptions,
    connectionTimeout,
    soTimeout: connectionTimeout,
    websocket: { ...defaults.websocket, enabled: true, vertx: given.vertx },
  };
  const { mayReach, egress } = parts.plane;
  const ways = new BackendWays(config, parts, () => true); // whoever dials logs failures
  const setOf = backendSets(config, parts, ways, backendWebSockets(config.websocket, config.soTimeout));
  const { upgrading, secureUpgrading } = setOf(mayReach, egress !== undefined);
  const timeout = milliseconds(connectionTimeout) || DEFAULT_TIMEOUT;

  const handler: Next = (exchange) => {
    const { scheme, host, port } = exchange.request.uri;
    const backend = (scheme === 'https' ? secureUpgrading : upgrading).find(host, port);
    return backend === null ? refusalResponse('backend-limit') : backend.handle(exchange);
  };

  return async function dial(url, subprotocol, headers) {
    const key = randomBytes(16).toString('base64');
    const request = {
      method: 'GET',
      uri: Uri.parse(url),
      upgrade: 'websocket',
      headers: {
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': key,
        'Sec-WebSocket-Protocol': subprotocol,
        ...headers,
      },
    };
    let refusal: string | null = null;
    const send: Next = (exchange) =>
      mapResponse(handler(exchange), exchange, (response) => {
        const { cause } = response;
        if (response.refusal !== null) refusal = typeof cause === 'string' ? cause : response.refusal;
        return response;
      });
    const answer = await callHandler(send, request, { parent: null, timeout }).catch((error: unknown) => {
      throw new DialFailure(errorText(error), null);
    });
    if (refusal !== null) throw new DialFailure(refusal, null);
    const { status, tunnel } = answer;
    if (tunnel === undefined) throw new DialFailure(`the response has status ${status}`, status);
    const reason = misfit(answer.header, acceptFor(key)!, subprotocol);
    if (reason === null) return tunnel;
    tunnel.abandon();
    throw new DialFailure(reason, status);
  };
}

function misfit(header: (name: string) => string | null, accept: string, subprotocol: string): string | null {
  if (header('sec-websocket-accept') !== accept) return 'Sec-WebSocket-Accept does not belong to the key';
  const chosen = header('sec-websocket-protocol');
  if (chosen !== null && chosen !== subprotocol) return 'the server chose a subprotocol that was not offered';
  return header('sec-websocket-extensions') === null ? null : 'the server chose an extension that was not offered';
}
