import { GMap, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { itemsNow } from '../collections/walk.ts';
import { UriValue } from '../encoding/uri-classes.ts';
import { formDecoded, formEncoded } from '../encoding/url-text.ts';
import { decodedEscapes, percentEncoded } from '../text/uri-characters.ts';

const FORM = 'org.forgerock.http.protocol.Form';

export function newForm(rt: Runtime): GMap {
  const form = new GMap(rt.class(FORM));
  const ownText = (): string => formText(rt, form);
  form.ownText = ownText;
  return form;
}

function addTo(rt: Runtime, form: GMap, name: Value, value: Value): void {
  rt.budget.allocate(64);
  const list = form.get(name);
  if (list instanceof List) list.items.push(value);
  else form.put(name, new List([value]));
}

/** Adds the pairs of a form or query; what has no `=` is left out. */
export function readPairs(rt: Runtime, form: GMap, text: string): GMap {
  rt.budget.spend(text.length / 4);
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    addTo(rt, form, formDecoded(rt, pair.slice(0, at)), formDecoded(rt, pair.slice(at + 1)));
  }
  return form;
}

function writePairs(rt: Runtime, form: GMap, encode: (text: string) => string): string {
  const pairs: string[] = [];
  for (const entry of form.entries()) {
    for (const value of itemsNow(rt, entry.value))
      pairs.push(`${encode(rt.text(entry.entryKey))}=${encode(rt.text(value))}`);
  }
  rt.budget.allocate(pairs.reduce((sum, pair) => sum + 2 * pair.length, 0));
  return pairs.join('&');
}

const escaping = (odd: RegExp) => (text: string) => text.replaceAll(odd, percentEncoded);
export const queryEncoded = escaping(/[^A-Za-z0-9\-._~!$'()*,;:@/?]+/gu);
export const pathEncoded = escaping(/[^A-Za-z0-9\-._~!$&'()*+,;=:@]+/gu);
const fragmentEncoded = escaping(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]+/gu);
const userInfoEncoded = escaping(/[^A-Za-z0-9\-._~!$&'()*+,;=:]+/gu);

export const formText = (rt: Runtime, form: GMap): string => writePairs(rt, form, formEncoded);
export const queryText = (rt: Runtime, form: GMap): string => writePairs(rt, form, queryEncoded);

const firstOf = (rt: Runtime, form: GMap, name: Value): Value => {
  const list = form.get(name);
  return list === undefined || list === null ? null : (itemsNow(rt, list)[0] ?? null);
};

/** Methods of maps with several values for a key. */
export const multiValueMethods: Readonly<Record<string, LibraryFunction>> = {
  'add(Object, Object)': (rt, self: GMap, [name, value]: [Value, Value]) => addTo(rt, self, name, value),
  'addAll(Object, Collection)': (rt, self: GMap, [name, values]: [Value, Value]) => {
    for (const value of itemsNow(rt, values)) addTo(rt, self, name, value);
  },
  'addAll(Map)': (rt, self: GMap, [more]: [GMap]) => {
    for (const entry of more.entries())
      for (const value of itemsNow(rt, entry.value)) addTo(rt, self, entry.entryKey, value);
  },
  'getFirst(Object)': (rt, self: GMap, [name]: [Value]) => firstOf(rt, self, name),
  'putSingle(Object, Object)': (_rt, self: GMap, [name, value]: [Value, Value]) =>
    void self.put(name, new List([value])),
};

const text =
  (code: (text: string) => string): LibraryFunction =>
  (rt: Runtime, _self: Value, [value]: [string | null]) => {
    rt.budget.allocate((value?.length ?? 0) * 6);
    return value === null ? null : code(value);
  };

type RawParts = [string | null, string | null, string | null, number, string | null, string | null, string | null];

/** Encoded parts as a URI. */
function rawUri(...[scheme, userInfo, host, port, path, query, fragment]: RawParts): string {
  const place =
    host === null ? '' : `//${userInfo === null ? '' : `${userInfo}@`}${host}${port === -1 ? '' : `:${port}`}`;
  return (
    `${scheme === null ? '' : `${scheme}:`}${place}${path ?? ''}` +
    `${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`
  );
}

/** A URI with scheme, host and port of another one, which must have them. */
function rebased(rt: Runtime, uri: UriValue, base: UriValue | null): UriValue {
  if (base === null || base.parts.scheme === null || base.parts.host === null) return uri;
  const { scheme, host, port } = base.parts;
  const { userInfo, path, query, fragment } = uri.parts;
  return new UriValue(rt, rawUri(scheme, userInfo, host, port, path, query, fragment));
}

export const formClasses: readonly ClassSpec[] = [
  {
    name: FORM,
    superclass: 'java.util.AbstractMap',
    constructors: { '()': (rt) => newForm(rt) },
    methods: {
      ...multiValueMethods,
      'fromString(String)': (rt, self: GMap, [content]: [string]) => readPairs(rt, self, content),
      'fromFormString(String)': (rt, self: GMap, [content]: [string]) => readPairs(rt, self, content),
      'fromQueryString(String)': (rt, self: GMap, [content]: [string]) => readPairs(rt, self, content),
      'toString()': (rt, self: GMap) => formText(rt, self),
      'toFormString()': (rt, self: GMap) => formText(rt, self),
      'toQueryString()': (rt, self: GMap) => queryText(rt, self),
    },
  },
  {
    name: 'org.forgerock.http.util.Uris',
    statics: {
      'create(String, String, String, int, String, String, String)': (
        rt,
        _self: Value,
        [scheme, userInfo, host, port, path, query, fragment]: RawParts,
      ) => new UriValue(rt, rawUri(scheme, userInfo, host, port, path, query, fragment)),
      'rebase(URI, URI)': (rt, _self: Value, [uri, base]: [UriValue, UriValue | null]) => rebased(rt, uri, base),
      'withQuery(URI, org.forgerock.http.protocol.Form)': (rt, _self: Value, [uri, form]: [UriValue, GMap]) => {
        const { scheme, userInfo, host, port, path, fragment } = uri.parts;
        return new UriValue(rt, rawUri(scheme, userInfo, host, port, path, queryText(rt, form), fragment));
      },
      'withoutQueryAndFragment(URI)': (rt, _self: Value, [uri]: [UriValue]) => {
        const { scheme, userInfo, host, port, path } = uri.parts;
        return new UriValue(rt, rawUri(scheme, userInfo, host, port, path, null, null));
      },
      'urlEncodeQueryParameterNameOrValue(String)': text(queryEncoded),
      'urlEncodePathElement(String)': text(pathEncoded),
      'urlEncodeFragment(String)': text(fragmentEncoded),
      'urlEncodeUserInfo(String)': text(userInfoEncoded),
      'formEncodeParameterNameOrValue(String)': text(formEncoded),
      'urlDecodePathElement(String)': text(decodedEscapes),
      'urlDecodeFragment(String)': text(decodedEscapes),
      'urlDecodeUserInfo(String)': text(decodedEscapes),
      'formDecodeParameterNameOrValue(String)': (rt, _self: Value, [value]: [string | null]) =>
        value === null ? null : formDecoded(rt, value),
      'urlDecodeQueryParameterNameOrValue(String)': (rt, _self: Value, [value]: [string | null]) =>
        value === null ? null : formDecoded(rt, value),
    },
  },
];
