import type { X509Certificate } from 'node:crypto';
import {
  extendForwarding,
  type ForwardedClient,
  type ForwardedLines,
  type ForwardingOptions,
  forwardingLines,
  takeForwarding,
} from '../backend/forwarding.ts';
import { canonicalAuthority, canonicalHost } from '../head/canonical-host.ts';
import { subjectName } from '../head/distinguished-name.ts';
import { headerText } from '../head/header-text.ts';
import type { ClientContext, Exchange } from '../message/exchange.ts';
import { Uri } from '../message/uri.ts';
import type { CertificateChoice } from '../wire/secure-transport.ts';
import type { Endpoint, Wire } from '../wire/wire.ts';
import { forwardedFacts, plainAddress } from './forwarded-facts.ts';
import type { ProxyHeader } from './proxy-protocol.ts';

const NO_LINES = Buffer.alloc(0);
/** What trusted peers said, for requests that are sent on more than once. */
const said = new WeakMap<Exchange, ForwardedLines>();

/** Facts of a connection before its first request. */
export interface Greeting {
  /** What the client proved to be, its own certificate first. */
  readonly certificates: readonly X509Certificate[];
  /** What the peer said about the client, where it is trusted. */
  readonly header: ProxyHeader | null;
  /** The host that the client asked for in the handshake, or null when it named none. */
  readonly serverName: string | null;
  readonly choice: CertificateChoice;
}

const NO_CERTIFICATES: readonly X509Certificate[] = Object.freeze([]);

/** Identity of a client: peer address, PROXY protocol, and headers of trusted proxies. */
export class ClientFacts {
  readonly scheme: string;
  /** Whether forwarding headers on this connection are believed. */
  trusted: boolean;
  /** Whether the peer is a trusted proxy, which may have ended TLS, also for a client that it only introduced. */
  readonly proxied: boolean;
  /** The host of the handshake; null where there was none, or a trusted proxy shook hands with us and not the client. */
  readonly serverName: string | null;
  private readonly choice: CertificateChoice | null;
  private readonly wire: Wire;
  private readonly trusts: (address: string) => boolean;
  private readonly certificates: readonly X509Certificate[];
  private peer: Endpoint | null = null;
  private here: Endpoint | null = null;
  private subject: string | null = null;
  private lastOptions: ForwardingOptions | null = null;
  private lastHost = '';
  private lastVersion = '';
  private lastLines: Buffer = NO_LINES;

  constructor(
    wire: Wire,
    scheme: string,
    trusted: boolean,
    trusts: (address: string) => boolean,
    greeting: Greeting | null = null,
  ) {
    this.wire = wire;
    this.scheme = scheme;
    this.trusted = trusted;
    this.proxied = trusted;
    this.trusts = trusts;
    this.certificates = greeting?.certificates ?? NO_CERTIFICATES;
    const serverName = greeting?.serverName ?? null;
    this.serverName = trusted || serverName === null ? null : (canonicalHost(serverName) ?? serverName);
    this.choice = greeting?.choice ?? null;
    const header = greeting?.header ?? null;
    if (header !== null) this.introduce(header);
  }

  /** Whether the client was shown the certificate of a host; also where the host has none. */
  isShownFor(host: string): boolean {
    return this.serverName === null || this.choice?.isShownFor(host, this.serverName) !== false;
  }

  get remote(): Endpoint {
    this.peer ??= plain(this.wire.remote());
    return this.peer;
  }

  get local(): Endpoint {
    this.here ??= plain(this.wire.local());
    return this.here;
  }

  /** A trusted peer introduced the client by the PROXY protocol. */
  introduce(header: ProxyHeader): void {
    if (header.source === null) return;
    this.peer = header.source;
    this.here = header.destination;
    this.trusted = this.trusts(header.source.address);
  }

  clientContext(exchange: Exchange): ClientContext {
    const { headers } = exchange.request;
    const facts = this.trusted ? forwardedFacts(headers, this.trusts) : null;
    const { remote, local } = this;
    const agent = headers.get('user-agent');
    return Object.freeze({
      remoteAddress: facts?.address ?? remote.address,
      remotePort: (facts?.address ?? null) === null ? remote.port : 0,
      localAddress: local.address,
      localPort: local.port,
      isSecure: (facts?.scheme ?? this.scheme) === 'https',
      isExternal: true,
      userAgent: agent === null ? null : headerText(agent),
      remoteUser: null,
      certificates: this.certificates,
    });
  }

  /** The subject of the certificate that the client proved to own, or null: that of a proxy names no user. */
  get user(): string | null {
    const leaf = this.certificates[0];
    if (leaf !== undefined && !this.proxied) this.subject ??= subjectName(leaf);
    return this.subject;
  }

  remoteAddress(exchange: Exchange): string {
    return this.trusted ? exchange.client.remoteAddress : this.remote.address;
  }

  originalUri(exchange: Exchange): Uri {
    const { original } = exchange.request.uri;
    if (!this.trusted) return original;
    const { scheme, host } = forwardedFacts(exchange.request.headers, this.trusts);
    if (scheme === null && host === null) return original;
    const named = host === null ? null : canonicalAuthority(host, scheme ?? original.scheme);
    return new Uri(scheme ?? original.scheme, named ?? original.authority, original.rawPath, original.rawQuery);
  }

  /** The lines that tell a backend about this client, with the empty line: made once for all requests to one host. */
  forwardingLines(exchange: Exchange, options: ForwardingOptions): Buffer {
    const { host, version } = exchange.request;
    if (this.lastOptions === options && host === this.lastHost && version === this.lastVersion) return this.lastLines;
    const client: ForwardedClient = {
      address: this.remote.address,
      scheme: this.scheme,
      host,
      port: this.local.port,
      version: version.slice('HTTP/'.length),
    };
    if (this.trusted) return Buffer.from(`${extendForwarding(saidOf(exchange), client, options)}\r\n`, 'latin1');
    this.lastOptions = options;
    this.lastVersion = version;
    this.lastHost = host;
    this.lastLines = Buffer.from(`${forwardingLines(client, options)}\r\n`, 'latin1');
    return this.lastLines;
  }
}

/** Takes the word of a trusted peer out of the request, once what the chain may ask for has been read from it. */
function saidOf(exchange: Exchange): ForwardedLines {
  let lines = said.get(exchange);
  if (lines === undefined) {
    void exchange.client;
    void exchange.router;
    lines = takeForwarding(exchange.request.headers);
    said.set(exchange, lines);
  }
  return lines;
}

function plain(endpoint: Endpoint): Endpoint {
  const address = plainAddress(endpoint.address);
  return address === endpoint.address ? endpoint : { address, port: endpoint.port };
}
