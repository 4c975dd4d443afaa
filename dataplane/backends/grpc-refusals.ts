import type { Headers } from '../engine/head/headers.ts';
import type { Next } from '../engine/message/exchange.ts';
import { refusals } from '../engine/message/refusal.ts';
import { mapResponse } from '../engine/message/reply.ts';
import { Response } from '../engine/message/response.ts';

/** Codes of gRPC by the statuses of refusals, as the gRPC documentation maps them; 2 (UNKNOWN) for others. */
const CODES: ReadonlyMap<number, number> = new Map([
  [400, 13],
  [401, 16],
  [403, 7],
  [404, 12],
  [429, 14],
  [502, 14],
  [503, 14],
  [504, 14],
]);

/** Answers gRPC calls that get no response from a backend with a gRPC status, as gRPC clients expect it. */
export function grpcRefusals(send: Next): Next {
  return (exchange) =>
    isGrpc(exchange.request.headers) ? mapResponse(send(exchange), exchange, asGrpc) : send(exchange);
}

function isGrpc(headers: Headers): boolean {
  return headers.has('content-type') && /^application\/grpc(?:[+;]|$)/i.test(headers.get('content-type') ?? '');
}

/** A response without messages: its header block is its trailer. */
function asGrpc(response: Response): Response {
  const { refusal, cause, status } = response;
  if (refusal === null) return response;
  const made = new Response(200);
  made.headers.append('Content-Type', 'application/grpc');
  made.headers.append('grpc-status', String(CODES.get(status) ?? 2));
  made.headers.append('grpc-message', encodeURI(`${refusal}: ${refusals[refusal].reason}`).replaceAll('%20', ' '));
  made.refusal = refusal;
  made.cause = cause;
  response.abandon();
  return made;
}
