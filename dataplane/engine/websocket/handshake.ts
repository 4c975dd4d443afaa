import type { Headers } from '../head/headers.ts';
import type { Refusal } from '../message/refusal.ts';
import type { Request } from '../message/request.ts';
import { isToken } from '../wire/bytes.ts';
import { acceptFor } from './accept-key.ts';
import { type CompressionTerms, type Extension, isOffered, readExtensions, reservedBits } from './extensions.ts';
import type { Reserved } from './frame-check.ts';

/** Options that a handshake may negotiate. */
export interface HandshakeTerms {
  /** Subprotocols that may be offered; null for all. */
  readonly subprotocols: readonly string[] | null;
  readonly compression: CompressionTerms;
}

/** Request to a backend, and the response that it must give. */
export interface Handshake {
  readonly accept: string;
  readonly subprotocols: readonly string[];
  readonly extensions: readonly Extension[];
}

/** Reads a client's handshake, and takes out of it what may not be offered. @returns why it is refused, otherwise. */
export function readHandshake(request: Request, terms: HandshakeTerms): Handshake | Refusal {
  const { headers } = request;
  if (request.method !== 'GET' || hasContent(request)) return 'websocket-handshake';
  if (headers.get('sec-websocket-version') !== '13') return 'websocket-version';
  const accept = acceptFor(headers.get('sec-websocket-key') ?? '');
  const asked = subprotocolsIn(headers.get('sec-websocket-protocol'));
  const wanted = readExtensions(headers.get('sec-websocket-extensions'));
  if (accept === null || asked === null || wanted === null) return 'websocket-handshake';
  const subprotocols = asked.filter((name) => terms.subprotocols?.includes(name) ?? true);
  const extensions = wanted.filter((extension) => isOffered(extension, terms.compression));
  if (subprotocols.length < asked.length) offer(headers, 'Sec-WebSocket-Protocol', subprotocols);
  if (extensions.length < wanted.length) {
    offer(
      headers,
      'Sec-WebSocket-Extensions',
      extensions.map(({ text }) => text),
    );
  }
  return { accept, subprotocols, extensions };
}

/** Returns the negotiated options that affect frames, or the reason why the response of the backend is invalid. */
export function readSwitch(headers: Headers, { accept, subprotocols, extensions }: Handshake): Reserved | string {
  if (headers.get('sec-websocket-accept') !== accept) return 'its Sec-WebSocket-Accept does not belong to the key';
  const subprotocol = headers.get('sec-websocket-protocol');
  if (subprotocol !== null && !subprotocols.includes(subprotocol)) return 'it chose a subprotocol that was not offered';
  const agreed = readExtensions(headers.get('sec-websocket-extensions'));
  if (agreed === null) return 'its Sec-WebSocket-Extensions is malformed';
  const known = agreed.every(({ name }) => extensions.some((offered) => offered.name === name));
  return known ? reservedBits(agreed) : 'it chose an extension that was not offered';
}

/** The subprotocols that a header lists, or null when it is malformed. */
function subprotocolsIn(value: string | null): readonly string[] | null {
  if (value === null) return [];
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.every(isToken) ? names : null;
}

function offer(headers: Headers, name: string, values: readonly string[]): void {
  headers.delete(name);
  if (values.length > 0) headers.append(name, values.join(', '));
}

function hasContent(request: Request): boolean {
  const entity = request.touchedEntity;
  if (entity === null) return request.incomingBody !== null;
  return entity.incoming !== null || entity.replacement !== null || (entity.peek()?.length ?? 0) > 0;
}
