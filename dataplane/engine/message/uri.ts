import { percentDecoded } from '../../../contract/percent-decoded.ts';
import { canonicalAuthority, canonicalHost, DEFAULT_PORTS } from '../head/canonical-host.ts';
import { isHost } from '../head/host-syntax.ts';
import { canonicalPath, isPlainPath } from '../head/target.ts';

/**
 * The URI of a request, whose parts filters read and change. `rawPath` and `rawQuery` are exactly what is forwarded;
 * `path` and `query` are the same, percent-decoded.
 */
export class Uri {
  private parts: Parts;
  /** The parts as they were before anyone changed them, or null while nobody has. */
  private before: Parts | null = null;
  /** Whether somebody other than the client said where the request goes. */
  isDirected = false;

  /** `authority` is a host in its one spelling, or empty. */
  constructor(scheme: string, authority: string, rawPath: string, rawQuery: string | null) {
    const { host, port } = splitAuthority(authority);
    this.parts = { scheme, host, port, rawPath, rawQuery };
  }

  static parse(text: string): Uri {
    const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/.exec(text);
    if (match === null) throw new TypeError(`not an absolute URI: ${JSON.stringify(text)}`);
    const [, named, authority, path, query] = match;
    const scheme = named!.toLowerCase();
    const place = canonicalAuthority(authority!, scheme) ?? (isHost(authority!) ? authority! : null); // 127.1 of an operator
    if (place === null) throw new TypeError(`not a host: ${JSON.stringify(authority)}`);
    const uri = new Uri(scheme, place, '/', query ?? null);
    uri.parts.rawPath = canonical(path === '' ? '/' : path!);
    uri.isDirected = true;
    return uri;
  }

  get scheme(): string {
    return this.parts.scheme;
  }
  set scheme(scheme: string) {
    if (!/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) throw new TypeError(`not a scheme: ${JSON.stringify(scheme)}`);
    this.change().scheme = scheme.toLowerCase();
  }

  /** The host without brackets or port; empty when the client named none. */
  get host(): string {
    return this.parts.host;
  }
  set host(host: string) {
    const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
    const one = bare === '' ? '' : canonicalHost(bracketed(bare));
    if (one === null) throw new TypeError(`not a host: ${JSON.stringify(host)}`);
    this.change().host = one.startsWith('[') ? one.slice(1, -1) : one;
    this.isDirected = true;
  }

  /** The host that the client named, whoever changed it since. */
  get receivedHost(): string {
    return (this.before ?? this.parts).host;
  }

  /** The port, by default that of the scheme; -1 for a scheme without one. */
  get port(): number {
    return this.parts.port >= 0 ? this.parts.port : (DEFAULT_PORTS[this.parts.scheme] ?? -1);
  }
  set port(port: number) {
    if (!Number.isInteger(port) || port < -1 || port > 65_535) throw new RangeError(`not a port: ${port}`);
    this.change().port = port;
  }

  get authority(): string {
    const { scheme, host, port } = this.parts;
    return port < 0 || port === DEFAULT_PORTS[scheme] ? bracketed(host) : `${bracketed(host)}:${port}`;
  }

  get rawPath(): string {
    return this.parts.rawPath;
  }
  set rawPath(path: string) {
    if (path !== '*' || this.parts.rawPath !== '*') this.change().rawPath = canonical(path);
  }

  /**
   * Puts another prefix in the place of one that the path begins with. Both are paths in their one spelling, and what
   * follows them begins with a slash, so that the result needs no second look.
   */
  movePath(from: string, to: string): void {
    const { rawPath } = this.parts;
    if (!rawPath.startsWith(from) || (rawPath.length > from.length && rawPath[from.length] !== '/')) return;
    this.change().rawPath = to + rawPath.slice(from.length) || '/';
  }

  get path(): string {
    return percentDecoded(this.parts.rawPath);
  }
  set path(path: string) {
    this.change().rawPath = canonical(encodePath(path));
  }

  get rawQuery(): string | null {
    return this.parts.rawQuery;
  }
  set rawQuery(query: string | null) {
    if (query !== null && !/^[\x21\x22\x24-\x7e]*$/.test(query)) throw new TypeError('a query must be visible ASCII');
    this.change().rawQuery = query;
  }

  get query(): string | null {
    return this.parts.rawQuery === null ? null : percentDecoded(this.parts.rawQuery);
  }
  set query(query: string | null) {
    this.rawQuery = query === null ? null : encodeURI(query).replaceAll('#', '%23');
  }

  /** What a request line carries. */
  get target(): string {
    const { rawPath, rawQuery } = this.parts;
    return rawQuery === null ? rawPath : `${rawPath}?${rawQuery}`;
  }

  /** True once somebody changed the path or the query, so that the received bytes no longer say it. */
  get retargeted(): boolean {
    const { before, parts } = this;
    return before !== null && (before.rawPath !== parts.rawPath || before.rawQuery !== parts.rawQuery);
  }

  /** The URI as it was received, whatever was changed since and will be. */
  get original(): Uri {
    this.change();
    const original = new Uri(this.scheme, '', '', null);
    original.parts = { ...this.before! };
    return original;
  }

  /** Takes scheme, host and port of another one; path and query stay. */
  rebase(base: Uri): void {
    const parts = this.change();
    const { scheme, host, port } = base.parts;
    parts.scheme = scheme;
    parts.host = host;
    parts.port = port;
    this.isDirected = true;
  }

  /** Takes all parts of another one. */
  become(other: Uri): void {
    Object.assign(this.change(), other.parts);
    this.isDirected ||= other.isDirected;
  }

  toString(): string {
    return `${this.scheme}://${this.authority}${this.target}`;
  }

  private change(): Parts {
    this.before ??= { ...this.parts };
    return this.parts;
  }
}

interface Parts {
  scheme: string;
  host: string;
  /** -1: the scheme's own. */
  port: number;
  rawPath: string;
  rawQuery: string | null;
}

function canonical(path: string): string {
  if (isPlainPath(path)) return path;
  const result =
    path.startsWith('/') && /^[\x21-\x7e]*$/.test(path) && !path.includes('?') ? canonicalPath(path) : null;
  if (result === null) throw new TypeError(`not a path: ${JSON.stringify(path)}`);
  return result;
}

function encodePath(path: string): string {
  return encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function splitAuthority(authority: string): { host: string; port: number } {
  const end = authority.startsWith('[') ? authority.indexOf(']') + 1 : authority.indexOf(':');
  const host = end <= 0 ? authority : authority.slice(0, end);
  const port = end > 0 && authority.length > end + 1 ? Number(authority.slice(end + 1)) : -1;
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port };
}
