import type { Protocol } from '../../engine/wire/connect.ts';

/** Protocols as a handshake lists them: each with its length before it. */
export function alpnList(protocols: readonly Protocol[]): Buffer {
  return Buffer.concat(protocols.map((name) => Buffer.from(`${String.fromCharCode(name.length)}${name}`, 'latin1')));
}

/** Negotiated protocol: HTTP/1.1 if nothing else was agreed on. */
export function agreedProtocol(name: string | false | null): Protocol {
  return name === 'h2' ? 'h2' : 'http/1.1';
}
