import { Headers } from '../head/headers.ts';
import { statusText } from '../head/status-text.ts';
import type { Wire } from '../wire/wire.ts';
import type { Body } from './body.ts';
import { Entity } from './entity.ts';

import { type Refusal, refusals } from './refusal.ts';
import type { TunnelTraffic } from './tunnel-traffic.ts';

/** The other side of an upgraded connection, and how to join it to ours. */
export interface UpgradedPeer {
  /** What has passed since a client joined, and how it was closed. */
  readonly traffic: TunnelTraffic;
  /** `early` is what the client sent ahead; `over` is called once when the tunnel ends. */
  join(client: Wire, early: Buffer | null, clientEnded: boolean, silence: number, over: () => void): void;
  abandon(): void;
}

/** An answer: from a backend, from a handler or from a filter. */
export class Response {
  status: number;
  /** The reason phrase; null for the usual one. */
  reason: string | null = null;
  readonly headers: Headers;
  /** What went wrong, when this answer stands for a failure; never sent. */
  cause: unknown = null;
  /** Why the gateway refused the request with this answer, or null. */
  refusal: Refusal | null = null;
  /** Set on a 101: what the client's connection becomes part of. */
  upgraded: UpgradedPeer | null = null;
  private content: Entity | null = null;
  private readonly body: Body | null;
  private readonly received: number;

  /** `received`: the status in the line that came with `headers`, or 0 when there is no such line. */
  constructor(status: number, headers: Headers = Headers.empty(), body: Body | null = null, received = 0) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.received = received;
  }

  get fromBackend(): boolean {
    return this.received !== 0;
  }

  /** Whether the received status line can be sent as it is. */
  get lineIntact(): boolean {
    return this.received === this.status && this.reason === null;
  }

  /** Whether a client takes this status for the end of its exchange. */
  get final(): boolean {
    const { status } = this;
    return Number.isInteger(status) && status < 1000 && (status >= 200 || (status === 101 && this.upgraded !== null));
  }

  get entity(): Entity {
    const { headers } = this;
    this.content ??= new Entity(this.body, headers, true, headers.contentLength > 0 ? headers.takeContent() : null);
    return this.content;
  }

  get touchedEntity(): Entity | null {
    return this.content;
  }

  get incomingBody(): Body | null {
    return this.body;
  }

  /** Nobody will send this response. */
  abandon(): void {
    this.upgraded?.abandon();
    if (this.content !== null) this.content.abandon();
    else this.body?.abandon();
  }
}

/** An answer with a text of its own. */
export function textResponse(status: number, text: string, type = 'text/plain; charset=utf-8'): Response {
  const response = new Response(status);
  response.headers.append('Content-Type', type);
  response.entity.set(text);
  return response;
}

/** An empty answer for a refusal, to which a filter or a handler may add header lines. */
export function emptyRefusal(refusal: Refusal): Response {
  const response = new Response(refusals[refusal].status);
  response.refusal = refusal;
  return response;
}

/** The answer for a refusal: what docs/errors.md lists, as JSON; `message` where there is more to say. */
export function refusalResponse(
  refusal: Refusal,
  cause: unknown = null,
  message: string = refusals[refusal].reason,
): Response {
  const { status } = refusals[refusal];
  const response = textResponse(
    status,
    `${JSON.stringify({ code: status, reason: statusText(status), message, refusal })}\n`,
    'application/json',
  );
  response.cause = cause;
  response.refusal = refusal;
  return response;
}
