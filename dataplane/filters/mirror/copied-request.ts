import { DEFAULT_FORWARDING } from '../../engine/backend/forwarding.ts';
import { Headers } from '../../engine/head/headers.ts';
import { Exchange, type Origin } from '../../engine/message/exchange.ts';
import { HeldShare } from '../../engine/message/held-content.ts';
import { Request } from '../../engine/message/request.ts';
import { Uri } from '../../engine/message/uri.ts';
import { mirroredContent } from './mirrored-content.ts';

/** Headers that are of one connection, or that are written anew for the copy; in lower case. */
const OF_THE_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Bytes that a copy takes without its texts. */
const FRAME = 1024;

/** A request as a filter saw it, without its content, independent of the exchange that it is of. */
export class CopiedRequest {
  /** Memory that it takes, with its content. Whoever ends the copy releases it. */
  readonly share = new HeldShare(mirroredContent);
  /** Bytes that its head takes. */
  readonly headBytes: number;
  /** Facts about the client for whoever the copy is sent to. */
  readonly facts: Origin['facts'];
  private readonly method: string;
  private readonly uri: Uri;
  private readonly host: string;
  private readonly fields: readonly (readonly [name: string, value: string])[];
  private readonly egress: Exchange['egress'];
  private readonly gateways: number;
  private readonly transactionId: string;

  /** @param removed names of headers that the copy does not have, in lower case */
  constructor(exchange: Exchange, removed: ReadonlySet<string>) {
    const { request, origin, client, originalUri } = exchange;
    const { uri } = request;
    this.method = request.method;
    this.uri = copyOf(uri);
    this.host = request.host;
    const ofConnection = connectionHeaders(request.headers);
    this.fields = request.headers
      .entries()
      .filter(([name]) => !OF_THE_HOP.has(name) && !removed.has(name) && !ofConnection.has(name));
    const texts = this.fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    this.headBytes = FRAME + texts + uri.target.length;
    this.egress = exchange.egress;
    this.gateways = exchange.gateways;
    this.transactionId = exchange.transactionId;
    const lines = Buffer.from(origin.facts.forwardingLines(exchange, DEFAULT_FORWARDING)); // of this turn only
    const original = copyOf(originalUri);
    this.facts = {
      serverName: origin.facts.serverName,
      isShownFor: (host) => origin.facts.isShownFor?.(host) !== false,
      clientContext: () => client,
      remoteAddress: () => client.remoteAddress,
      originalUri: () => original,
      forwardingLines: () => lines,
    };
  }

  /** Makes an exchange of it. Contexts, attributes and the session of the request are not part of it. */
  exchange(origin: Origin, content: Buffer, mark: string): Exchange {
    const { method, uri, host } = this;
    const request = new Request(method, uri.target, uri.scheme, host, 'HTTP/1.1', Headers.empty(), null, false);
    request.uri.become(uri);
    request.uri.isDirected = uri.isDirected;
    for (const [name, value] of this.fields) request.headers.append(name, value);
    if (host !== '' && !request.headers.has('host')) request.headers.append('Host', host);
    request.headers.append(mark, 'true');
    if (content.length > 0) request.entity.restore(content);
    const exchange = new Exchange(origin, request, performance.now());
    exchange.egress = this.egress;
    exchange.gateways = this.gateways;
    exchange.transactionId = this.transactionId;
    return exchange;
  }
}

function copyOf(uri: Uri): Uri {
  const copied = new Uri(uri.scheme, uri.authority, uri.rawPath, uri.rawQuery);
  copied.isDirected = uri.isDirected;
  return copied;
}

/** Headers that `Connection` names. */
function connectionHeaders(headers: Headers): ReadonlySet<string> {
  if (!headers.has('connection')) return new Set();
  const names = headers.all('connection').join(',').split(',');
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
