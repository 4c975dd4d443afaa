import { didYouMean } from '../../contract/did-you-mean.ts';
import { Headers } from '../engine/head/headers.ts';
import { listenerLimits } from '../engine/head/limits.ts';
import { type ClientContext, Exchange, type Origin } from '../engine/message/exchange.ts';
import { Request } from '../engine/message/request.ts';
import { Uri } from '../engine/message/uri.ts';
import { webSocketTerms } from '../engine/message/websocket-terms.ts';

/** A request that somebody describes instead of sending it. */
export interface RequestDescription {
  readonly method?: string;
  /** Absolute, or a path on `gw.test`. */
  readonly uri?: string;
  /** By name, several lines as a list; or the lines themselves, `Name: value`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | readonly string[];
  /** A text as it is, anything else as JSON. */
  readonly entity?: unknown;
  readonly client?: Partial<Pick<ClientContext, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>>;
}

const FIELDS = ['method', 'uri', 'headers', 'entity', 'client'];
const HOST = 'gw.test';

/** Reads a description from JSON text. @throws Error that says what is wrong with it. */
export function readRequestDescription(text: string): RequestDescription {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('a request is a JSON object');
  for (const name of Object.keys(value)) {
    if (FIELDS.includes(name)) continue;
    const meant = didYouMean(name, FIELDS);
    throw new Error(`a request has no '${name}'${meant === undefined ? '' : `: did you mean '${meant}'?`}`);
  }
  return value as RequestDescription;
}

/** The exchange that a described request would be part of. */
export function describedExchange(description: RequestDescription): Exchange {
  const { method = 'GET', uri: text = '/', entity } = description;
  const uri = Uri.parse(text.startsWith('/') ? `http://${HOST}${text}` : text);
  const headers = Headers.empty();
  for (const [name, value] of headerLines(description.headers ?? {})) headers.append(name, value);
  if (!headers.has('host')) headers.append('Host', uri.authority);
  const request = new Request(method, uri.target, uri.scheme, uri.authority, 'HTTP/1.1', headers, null, false);
  if (entity !== undefined) request.entity.set(typeof entity === 'string' ? entity : JSON.stringify(entity));
  return new Exchange(originOf(description, uri), request, performance.now());
}

function headerLines(headers: NonNullable<RequestDescription['headers']>): [string, string][] {
  if (isLines(headers)) return headers.map(splitLine);
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((line): [string, string] => [name, line]),
  );
}

function isLines(headers: NonNullable<RequestDescription['headers']>): headers is readonly string[] {
  return Array.isArray(headers);
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw new Error(`'${line}' is not a header line such as 'Name: value'`);
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function originOf({ client }: RequestDescription, uri: Uri): Origin {
  return {
    facts: {
      serverName: null,
      clientContext: (exchange) => ({
        remoteAddress: client?.remoteAddress ?? '127.0.0.1',
        remotePort: client?.remotePort ?? 0,
        localAddress: client?.localAddress ?? '127.0.0.1',
        localPort: client?.localPort ?? uri.port,
        isSecure: uri.scheme === 'https',
        isExternal: true,
        userAgent: exchange.request.headers.get('user-agent'),
        remoteUser: null,
        certificates: [],
      }),
      remoteAddress: (exchange) => exchange.client.remoteAddress,
      originalUri: () => uri,
      forwardingLines: () => Buffer.alloc(0),
    },
    webSockets: webSocketTerms({}, listenerLimits.parse({})),
    interim() {},
  };
}
