import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { fixedList } from '../collections/fixed-lists.ts';
import { composed, UriValue, uriGetters, uriParts } from '../encoding/uri-classes.ts';
import { decodedPart, readUri, resolvedUri, type UriParts, writtenUri } from '../text/java-uri.ts';

/** A URI whose parts can be set. */
export class MutableUri implements Obj {
  readonly javaClass: JavaClass;
  parts: UriParts;
  readonly #rt: Runtime;

  constructor(rt: Runtime, parts: UriParts) {
    this.#rt = rt;
    this.javaClass = rt.class('org.forgerock.http.MutableUri');
    this.parts = parts;
  }

  text(): string {
    return writtenUri(this.parts);
  }

  equals(other: Value): boolean {
    return other instanceof MutableUri && other.text() === this.text();
  }

  hash(): number {
    return this.#asUri().hash();
  }

  #asUri(): UriValue {
    return new UriValue(this.#rt, this.text());
  }

  compare(other: Value): number {
    const text = other instanceof MutableUri ? other.text() : String(other);
    return this.text() < text ? -1 : this.text() > text ? 1 : 0;
  }
}

export function mutableUri(rt: Runtime, text: string): MutableUri {
  return new MutableUri(rt, uriParts(rt, text));
}

type Part = 'scheme' | 'userInfo' | 'host' | 'port' | 'path' | 'query' | 'fragment';

/** Sets one decoded part; all others are decoded and written again, as OpenIG does. */
function setPart(rt: Runtime, self: MutableUri, part: Part, value: Value): void {
  const { parts } = self;
  const decoded = {
    scheme: parts.scheme,
    userInfo: decodedPart(parts.userInfo),
    host: parts.host,
    port: parts.port,
    path: decodedPart(parts.path),
    query: decodedPart(parts.query),
    fragment: decodedPart(parts.fragment),
    [part]: value,
  } as {
    scheme: string | null;
    userInfo: string | null;
    host: string | null;
    port: number;
    path: string | null;
    query: string | null;
    fragment: string | null;
  };
  self.parts = uriParts(
    rt,
    composed(
      rt,
      decoded.scheme,
      decoded.userInfo,
      decoded.host,
      decoded.port,
      decoded.path,
      decoded.query,
      decoded.fragment,
    ),
    true,
  );
}

function setRaw(
  rt: Runtime,
  self: MutableUri,
  part: 'userInfo' | 'path' | 'query' | 'fragment',
  value: string | null,
): void {
  const { parts } = self;
  const raw = { ...parts, [part]: value };
  const place =
    raw.host === null
      ? ''
      : `//${raw.userInfo === null ? '' : `${raw.userInfo}@`}${raw.host}${raw.port === -1 ? '' : `:${raw.port}`}`;
  const scheme = raw.scheme === null ? '' : `${raw.scheme}:`;
  const rest = `${raw.path ?? ''}${raw.query === null ? '' : `?${raw.query}`}${raw.fragment === null ? '' : `#${raw.fragment}`}`;
  self.parts = uriParts(rt, scheme + place + rest);
}

/** Takes over scheme, host and port of another URI. */
export function rebase(rt: Runtime, self: MutableUri, base: UriParts | null): MutableUri {
  if (base === null || base.scheme === null || base.host === null) return self;
  setPart(rt, self, 'scheme', base.scheme);
  setPart(rt, self, 'host', base.host);
  setPart(rt, self, 'port', base.port);
  return self;
}

function setters(): Record<string, LibraryFunction> {
  const methods: Record<string, LibraryFunction> = {};
  for (const part of ['scheme', 'userInfo', 'host', 'port', 'path', 'query', 'fragment'] as const) {
    const name = part[0]!.toUpperCase() + part.slice(1);
    methods[`set${name}(${part === 'port' ? 'int' : 'String'})`] = (rt: Runtime, self: MutableUri, [value]: [Value]) =>
      setPart(rt, self, part, value);
  }
  for (const part of ['userInfo', 'path', 'query', 'fragment'] as const) {
    const name = part[0]!.toUpperCase() + part.slice(1);
    methods[`setRaw${name}(String)`] = (rt: Runtime, self: MutableUri, [value]: [string | null]) =>
      setRaw(rt, self, part, value);
  }
  return methods;
}

export const mutableUriClasses: readonly ClassSpec[] = [
  {
    name: 'org.forgerock.http.MutableUri',
    interfaces: ['java.lang.Comparable'],
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string]) => mutableUri(rt, text),
      '(URI)': (rt, _self: Value, [uri]: [UriValue]) => new MutableUri(rt, uri.parts),
      '(org.forgerock.http.MutableUri)': (rt, _self: Value, [uri]: [MutableUri]) => new MutableUri(rt, uri.parts),
    },
    statics: { 'uri(String)': (rt, _self: Value, [text]: [string]) => mutableUri(rt, text) },
    methods: {
      ...uriGetters((self: MutableUri) => self.parts),
      ...setters(),
      'asURI()': (rt, self: MutableUri) => new UriValue(rt, self.text()),
      'rebase(URI)': (rt, self: MutableUri, [base]: [UriValue | null]) => rebase(rt, self, base?.parts ?? null),
      'rebase(org.forgerock.http.MutableUri)': (rt, self: MutableUri, [base]: [MutableUri | null]) =>
        rebase(rt, self, base?.parts ?? null),
      'resolve(org.forgerock.http.MutableUri)': (_rt, self: MutableUri, [other]: [MutableUri]) => {
        self.parts = readUri(writtenUri(resolvedUri(self.parts, other.parts)));
        return self;
      },
      'relativize(org.forgerock.http.MutableUri)': (rt, self: MutableUri, [other]: [MutableUri]) => {
        const relative = rt.now(
          rt.call(new UriValue(rt, self.text()), 'relativize', [new UriValue(rt, other.text())]),
        ) as UriValue;
        self.parts = relative.parts;
        return self;
      },
      'getPathElements()': (rt, self: MutableUri) =>
        fixedList(
          rt,
          (self.parts.path ?? '')
            .split('/')
            .filter((step) => step !== '')
            .map((step) => decodedPart(step)),
          'UnmodifiableRandomAccessList',
        ),
      'hasScheme(String)': (_rt, self: MutableUri, [scheme]: [string]) => self.parts.scheme === scheme,
    },
  },
];
