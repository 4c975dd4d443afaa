import { hashOfText } from '../../values/hash.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { Throwable } from '../../values/throwable.ts';
import { onTexts } from '../strings/string-methods.ts';
import {
  asciiUri,
  composedUri,
  decodedPart,
  normalPath,
  readUri,
  resolvedUri,
  type UriParts,
  UriSyntaxError,
  writtenUri,
} from '../text/java-uri.ts';
import { quoted, uriCharacters } from '../text/uri-characters.ts';

/** A java.net.URI. */
export class UriValue implements Obj {
  readonly javaClass: JavaClass;
  readonly parts: UriParts;
  readonly source: string;

  constructor(rt: Runtime, source: string, parts: UriParts = uriParts(rt, source)) {
    this.javaClass = rt.class('java.net.URI');
    this.source = source;
    this.parts = parts;
  }

  text(): string {
    return this.source;
  }

  equals(other: Value): boolean {
    return other instanceof UriValue && this.key() === other.key();
  }

  hash(): number {
    return hashOfText(this.source);
  }

  compare(other: Value): number {
    const [own, text] = [this.key(), other instanceof UriValue ? other.key() : String(other)];
    return own < text ? -1 : own > text ? 1 : 0;
  }

  key(): string {
    const { scheme, host } = this.parts;
    return `\u0001uri${writtenUri({ ...this.parts, scheme: scheme?.toLowerCase() ?? null, authority: host === null ? this.parts.authority : (this.parts.authority?.replace(host, host.toLowerCase()) ?? null) })}`;
  }
}

/** Reads a URI, or throws a URISyntaxException. */
export function uriParts(rt: Runtime, text: string, needsServer = false): UriParts {
  rt.budget.spend(text.length / 4);
  try {
    return readUri(text, needsServer);
  } catch (error) {
    if (error instanceof UriSyntaxError) return rt.fail('java.net.URISyntaxException', error.message);
    throw error;
  }
}

/** The text of a URI made of decoded parts. */
export function composed(rt: Runtime, ...parts: Parameters<typeof composedUri>): string {
  try {
    return composedUri(...parts);
  } catch (error) {
    if (error instanceof UriSyntaxError) return rt.fail('java.net.URISyntaxException', error.message);
    throw error;
  }
}

function created(rt: Runtime, text: string): UriValue {
  try {
    return new UriValue(rt, text, readUri(text));
  } catch (error) {
    if (!(error instanceof UriSyntaxError)) throw error;
    const cause = rt.now(
      rt.construct(rt.class('java.net.URISyntaxException'), [error.input, error.reason, error.index]),
    );
    return rt.fail('java.lang.IllegalArgumentException', error.message, cause);
  }
}

const ofServer = (rt: Runtime, text: string): UriValue => new UriValue(rt, text, uriParts(rt, text, true));
const written = (rt: Runtime, parts: UriParts): UriValue => new UriValue(rt, writtenUri(parts));

/** Getters that URI and the mutable URI of the gateway share. */
export const uriGetters = (of: (self: never) => UriParts): Record<string, LibraryFunction> => {
  const part =
    (read: (parts: UriParts) => Value): LibraryFunction =>
    (_rt: Runtime, self: never) =>
      read(of(self));
  return {
    'getScheme()': part((parts) => parts.scheme),
    'getHost()': part((parts) => parts.host),
    'getPort()': part((parts) => parts.port),
    'getUserInfo()': part((parts) => decodedPart(parts.userInfo)),
    'getRawUserInfo()': part((parts) => parts.userInfo),
    'getAuthority()': part((parts) => decodedPart(parts.authority)),
    'getRawAuthority()': part((parts) => parts.authority),
    'getPath()': part((parts) => decodedPart(parts.path)),
    'getRawPath()': part((parts) => parts.path),
    'getQuery()': part((parts) => decodedPart(parts.query)),
    'getRawQuery()': part((parts) => parts.query),
    'getFragment()': part((parts) => decodedPart(parts.fragment)),
    'getRawFragment()': part((parts) => parts.fragment),
    'toASCIIString()': part((parts) => asciiUri(writtenUri(parts))),
  };
};

const specific = (parts: UriParts): string => writtenUri({ ...parts, scheme: null, fragment: null });

function normalized(rt: Runtime, self: UriValue): UriValue {
  return self.parts.path === null ? self : written(rt, { ...self.parts, path: normalPath(self.parts.path) });
}

function resolved(rt: Runtime, self: UriValue, reference: UriValue): UriValue {
  return written(rt, resolvedUri(self.parts, reference.parts));
}

function relativized(rt: Runtime, { parts }: UriValue, child: UriValue): UriValue {
  const other = child.parts;
  const base = parts.path ?? '';
  const folder = base.endsWith('/') ? base : `${base}/`;
  const isSame = parts.scheme?.toLowerCase() === other.scheme?.toLowerCase() && parts.authority === other.authority;
  if (!isSame || other.path === null) return child;
  if (other.path === base) return written(rt, { ...other, scheme: null, authority: null, path: '' });
  if (!other.path.startsWith(folder)) return child;
  return written(rt, { ...other, scheme: null, authority: null, path: other.path.slice(folder.length) });
}

/** A java.net.URL, as a value: nothing is opened. */
export class UrlValue implements Obj {
  readonly javaClass: JavaClass;
  readonly source: string;
  readonly protocol: string;
  readonly authority: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly query: string | null;
  readonly ref: string | null;

  constructor(rt: Runtime, source: string) {
    this.javaClass = rt.class('java.net.URL');
    const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(source.trim());
    if (match === null) rt.fail('java.net.MalformedURLException', `no protocol: ${source}`);
    const [, protocol = '', authority = '', path = '', query = null, ref = null] = match;
    if (!['http', 'https', 'ftp', 'file', 'jar', 'mailto'].includes(protocol.toLowerCase())) {
      rt.fail('java.net.MalformedURLException', `unknown protocol: ${protocol.toLowerCase()}`);
    }
    this.source = source.trim();
    this.protocol = protocol.toLowerCase();
    this.authority = authority;
    const place = /^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
    if (place === null)
      rt.fail(
        'java.net.MalformedURLException',
        `For input string: "${authority.slice(authority.lastIndexOf(':') + 1)}"`,
      );
    this.host = place[1] ?? '';
    this.port = place[2] === undefined || place[2] === '' ? -1 : Number(place[2]);
    this.path = path;
    this.query = query;
    this.ref = ref;
  }

  text(): string {
    return this.source;
  }

  equals(other: Value): boolean {
    return other instanceof UrlValue && other.source === this.source;
  }

  hash(): number {
    return hashOfText(this.source);
  }

  key(): string {
    return `\u0001url${this.source}`;
  }
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
  ['ftp', 21],
]);

/** Java reads the length of the text first. */
function noText(rt: Runtime): never {
  const reason = 'Cannot invoke "String.length()" because "spec" is null';
  const cause = new Throwable(rt.class('java.lang.NullPointerException'), reason);
  return rt.fail('java.net.MalformedURLException', reason, cause);
}

export const uriClasses: readonly ClassSpec[] = [
  {
    name: 'java.net.URI',
    interfaces: ['java.lang.Comparable', 'java.io.Serializable'],
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string]) => new UriValue(rt, text),
      '(String, String, String, int, String, String, String)': (
        rt,
        _self: Value,
        [scheme, userInfo, host, port, path, query, fragment]: [string, string, string, number, string, string, string],
      ) => ofServer(rt, composed(rt, scheme, userInfo, host, port, path, query, fragment)),
      '(String, String, String, String)': (rt, _self: Value, [scheme, host, path, fragment]: (string | null)[]) =>
        ofServer(rt, composed(rt, scheme!, null, host!, -1, path!, null, fragment!)),
      '(String, String, String, String, String)': (
        rt,
        _self: Value,
        [scheme, authority, path, query, fragment]: (string | null)[],
      ) => {
        const rest = composed(rt, null, null, null, -1, path!, query!, fragment!);
        const prefix = `${scheme === null ? '' : `${scheme}:`}${authority === null ? '' : `//${quoted(authority!, uriCharacters.server, false)}`}`;
        return new UriValue(rt, prefix + rest);
      },
      '(String, String, String)': (rt, _self: Value, [scheme, ssp, fragment]: (string | null)[]) =>
        new UriValue(
          rt,
          `${scheme === null ? '' : `${scheme}:`}${quoted(ssp!, uriCharacters.any, false)}${fragment === null ? '' : `#${quoted(fragment!, uriCharacters.any, false)}`}`,
        ),
    },
    statics: { 'create(String)': (rt, _self: Value, [text]: [string]) => created(rt, text) },
    methods: {
      ...uriGetters((self: UriValue) => self.parts),
      'getSchemeSpecificPart()': (_rt, self: UriValue) => decodedPart(specific(self.parts)),
      'getRawSchemeSpecificPart()': (_rt, self: UriValue) => specific(self.parts),
      'isAbsolute()': (_rt, self: UriValue) => self.parts.scheme !== null,
      'isOpaque()': (_rt, self: UriValue) => self.parts.opaque !== null,
      'normalize()': (rt, self: UriValue) => normalized(rt, self),
      'resolve(String)': (rt, self: UriValue, [text]: [string]) => resolved(rt, self, created(rt, text)),
      'resolve(URI)': (rt, self: UriValue, [other]: [UriValue]) => resolved(rt, self, other),
      'relativize(URI)': (rt, self: UriValue, [other]: [UriValue]) => relativized(rt, self, other),
      'toURL()': (rt, self: UriValue) => {
        if (self.parts.scheme === null) rt.fail('java.lang.IllegalArgumentException', 'URI is not absolute');
        return new UrlValue(rt, self.source);
      },
    },
  },
  {
    name: 'java.net.URL',
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string | null]) => new UrlValue(rt, text ?? noText(rt)),
      '(String, String, String)': (rt, _self: Value, [protocol, host, file]: [string, string, string]) =>
        new UrlValue(rt, `${protocol}://${host}${file}`),
      '(String, String, int, String)': (
        rt,
        _self: Value,
        [protocol, host, port, file]: [string, string, number, string],
      ) => new UrlValue(rt, `${protocol}://${host}${port === -1 ? '' : `:${port}`}${file}`),
      '(URL, String)': (rt, _self: Value, [base, text]: [UrlValue | null, string]) =>
        base === null || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)
          ? new UrlValue(rt, text)
          : new UrlValue(rt, writtenUri(resolvedUri(uriParts(rt, base.source), uriParts(rt, text)))),
    },
    methods: {
      'getProtocol()': (_rt, self: UrlValue) => self.protocol,
      'getHost()': (_rt, self: UrlValue) => self.host,
      'getPort()': (_rt, self: UrlValue) => self.port,
      'getDefaultPort()': (_rt, self: UrlValue) => defaultPorts.get(self.protocol) ?? -1,
      'getAuthority()': (_rt, self: UrlValue) => (self.authority === '' ? null : self.authority),
      'getUserInfo()': (_rt, self: UrlValue) =>
        self.authority.includes('@') ? self.authority.slice(0, self.authority.lastIndexOf('@')) : null,
      'getPath()': (_rt, self: UrlValue) => self.path,
      'getQuery()': (_rt, self: UrlValue) => self.query,
      'getRef()': (_rt, self: UrlValue) => self.ref,
      'getFile()': (_rt, self: UrlValue) => self.path + (self.query === null ? '' : `?${self.query}`),
      'toExternalForm()': (_rt, self: UrlValue) => self.source,
      'toURI()': (rt, self: UrlValue) => new UriValue(rt, self.source),
    },
  },
  {
    name: 'java.lang.CharSequence',
    methods: onTexts({
      'toURI()': (rt, text) => new UriValue(rt, text),
      'toURL()': (rt, text) => new UrlValue(rt, text),
    }),
  },
  { name: 'java.net.MalformedURLException', superclass: 'java.io.IOException' },
  {
    name: 'java.net.URISyntaxException',
    superclass: 'java.lang.Exception',
    constructors: {
      '(String, String, int)': (rt, _self: Value, [input, reason, index]: [string, string, number]) =>
        rt.now(
          rt.construct(rt.class('java.net.URISyntaxException'), [new UriSyntaxError(input, reason, index).message]),
        ),
      '(String, String)': (rt, _self: Value, [input, reason]: [string, string]) =>
        rt.now(rt.construct(rt.class('java.net.URISyntaxException'), [new UriSyntaxError(input, reason, -1).message])),
    },
  },
];
