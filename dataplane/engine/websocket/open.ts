import { Tunnel } from '../backend/tunnel.ts';
import type { Answer, Exchange, Next } from '../message/exchange.ts';
import type { Refusal } from '../message/refusal.ts';
import { mapResponse } from '../message/reply.ts';
import { type Response, refusalResponse } from '../message/response.ts';
import type { WebSocketTerms } from '../message/websocket-terms.ts';
import type { Reserved } from './frame-check.ts';
import { readHandshake, readSwitch } from './handshake.ts';
import { Relay, type RelayTerms } from './relay.ts';

/** Settings of a handler for the WebSockets to its backends. Sizes are bytes on the wire, 0 for no limit. */
export interface BackendWebSockets {
  readonly perMessageCompression: boolean;
  readonly perFrameCompression: boolean;
  /** Longest frame and message of a backend. */
  readonly frameBytes: number;
  readonly messageBytes: number;
  /** Time for the answer to a Close frame, in milliseconds; null for what the listener says. */
  readonly closingTimeout: number | null;
  /** Time without a byte in either direction, in milliseconds; 0 for what the listener says. */
  readonly silence: number;
}

export const DEFAULT_WEBSOCKETS: BackendWebSockets = {
  perMessageCompression: true,
  perFrameCompression: true,
  frameBytes: 0,
  messageBytes: 0,
  closingTimeout: null,
  silence: 0,
};

/**
 * Whether a client asks for a WebSocket, and for nothing else. What has no key and no version is a handshake from before
 * RFC 6455: its wish is ignored, as RFC 9110 §7.8 allows, and the request goes on as any other.
 */
export function asksForWebSocket({ request }: Exchange): boolean {
  if (request.upgrade === null || request.upgrade.toLowerCase() !== 'websocket') return false;
  const { headers } = request;
  if (headers.has('sec-websocket-key') || headers.has('sec-websocket-version')) return true;
  request.upgrade = null;
  return false;
}

/**
 * Sends a handshake on and joins both sides when the backend agrees. What is no handshake reaches no backend. `failed`
 * hears why an agreement is none.
 */
export function openWebSocket(
  exchange: Exchange,
  send: Next,
  backend: BackendWebSockets,
  failed: (reason: string) => void,
): Answer {
  const client = exchange.origin.webSockets;
  const handshake = readHandshake(exchange.request, {
    subprotocols: client.subprotocols,
    compression: {
      perMessage: client.perMessageCompression && backend.perMessageCompression,
      perFrame: client.perFrameCompression && backend.perFrameCompression,
    },
  });
  if (typeof handshake === 'string') return refused(handshake);
  return mapResponse(send(exchange), exchange, (response) => {
    if (!(response.upgraded instanceof Tunnel)) return response;
    const reserved = readSwitch(response.headers, handshake);
    if (typeof reserved === 'string') {
      response.abandon();
      failed(reserved);
      return refusalResponse('backend-websocket', reserved);
    }
    response.upgraded = new Relay(response.upgraded.held, relayTerms(reserved, client, backend));
    return response;
  });
}

function refused(refusal: Refusal): Response {
  const response = refusalResponse(refusal);
  if (refusal === 'websocket-version') response.headers.append('Sec-WebSocket-Version', '13');
  return response;
}

function relayTerms(reserved: Reserved, client: WebSocketTerms, backend: BackendWebSockets): RelayTerms {
  return {
    client: { masked: true, reserved, frameBytes: client.frameBytes, messageBytes: client.messageBytes },
    backend: { masked: false, reserved, frameBytes: backend.frameBytes, messageBytes: backend.messageBytes },
    silence: backend.silence,
    closingTimeout: backend.closingTimeout ?? client.closingTimeout,
  };
}
