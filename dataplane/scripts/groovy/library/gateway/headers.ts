import { ArrayValue, GMap, GSet, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { fixedList } from '../collections/fixed-lists.ts';
import { itemsNow } from '../collections/walk.ts';
import { type CookieFields, commaSeparated, cookieText, emptyCookie, setCookieText } from './cookie-text.ts';
import { CookieValue } from './cookies.ts';
import { HeaderValue, headerOf, headerTexts, knownHeaderClasses } from './header-values.ts';

const PROTOCOL = 'org.forgerock.http.protocol.';
const HEADERS = `${PROTOCOL}Headers`;

/** The headers of a message: a map whose names have no case. */
export function newHeaders(rt: Runtime): GMap {
  return new GMap(rt.class(HEADERS), 'caseless');
}

function collectionItems(rt: Runtime, value: Value): Value[] | null {
  return value instanceof List || value instanceof GSet || value instanceof ArrayValue ? itemsNow(rt, value) : null;
}

function textsOf(rt: Runtime, name: Value, value: Value, verb: string): string[] {
  const texts = headerTexts(value, (each) => collectionItems(rt, each));
  if (texts === null)
    return rt.fail('java.lang.IllegalArgumentException', `Cannot ${verb} '${rt.text(name)}': ${rt.text(value)}`);
  if (texts === 'not-texts') return rt.fail('java.lang.IllegalArgumentException', 'Collections must be of strings');
  return texts;
}

/** Puts values in the place of those that a header has. */
export function putHeader(rt: Runtime, headers: GMap, name: string, value: Value): Value {
  const before = headers.get(name) ?? null;
  const texts = value === null ? [] : textsOf(rt, name, value, 'put object for key');
  rt.budget.spend(1);
  if (texts.length === 0) headers.delete(name);
  else headers.put(name, value instanceof HeaderValue ? value : headerOf(rt, name, texts));
  return before;
}

export function addHeader(rt: Runtime, headers: GMap, name: string, value: Value): void {
  if (value === null) return;
  const before = headers.get(name);
  const added = typeof value === 'string' ? [value] : textsOf(rt, name, value, 'add values for key');
  const texts = before instanceof HeaderValue ? [...before.values, ...added] : added;
  if (texts.length > 0) headers.put(name, headerOf(rt, name, texts));
}

export function firstOf(headers: GMap, name: string): string | null {
  const header = headers.get(name);
  return header instanceof HeaderValue ? header.first : null;
}

function multiMap(headers: GMap): GMap {
  const map = new GMap(headers.javaClass, headers.order);
  for (const { value } of headers.entries())
    if (value instanceof HeaderValue) map.put(value.name, new List([...value.values]));
  return map;
}

/** The name of the header that a class of headers is for. */
function nameOfClass(rt: Runtime, type: Value): string {
  const known = knownHeaderClasses.find(({ className }) => type !== null && rt.class(className) === type);
  return known?.name ?? rt.fail('java.lang.IllegalArgumentException', `Unknown header type: ${rt.text(type)}`);
}

function putAll(
  rt: Runtime,
  self: GMap,
  more: GMap,
  run: (rt: Runtime, self: GMap, name: string, value: Value) => unknown,
): void {
  for (const entry of more.entries()) run(rt, self, rt.text(entry.entryKey), entry.value);
}

const headersMethods: Readonly<Record<string, LibraryFunction>> = {
  'put(String, Object)': (rt, self: GMap, [name, value]: [string, Value]) => putHeader(rt, self, name, value),
  'putAt(String, Object)': (rt, self: GMap, [name, value]: [string, Value]) => {
    putHeader(rt, self, name, value);
    return value;
  },
  'put(org.forgerock.http.protocol.Header)': (rt, self: GMap, [header]: [HeaderValue]) =>
    putHeader(rt, self, header.name, header),
  'putAll(Map)': (rt, self: GMap, [more]: [GMap]) => putAll(rt, self, more, putHeader),
  'leftShift(Map)': (rt, self: GMap, [more]: [GMap]) => {
    putAll(rt, self, more, putHeader);
    return self;
  },
  'add(String, Object)': (rt, self: GMap, [name, value]: [string, Value]) => addHeader(rt, self, name, value),
  'add(org.forgerock.http.protocol.Header)': (rt, self: GMap, [header]: [HeaderValue]) =>
    addHeader(rt, self, header.name, header),
  'addAll(Map)': (rt, self: GMap, [more]: [GMap]) => putAll(rt, self, more, addHeader),
  'getFirst(String)': (_rt, self: GMap, [name]: [string]) => firstOf(self, name),
  'getFirst(Class)': (rt, self: GMap, [type]: [Value]) => firstOf(self, nameOfClass(rt, type)),
  'get(Class)': (rt, self: GMap, [type]: [Value]) => {
    const header = self.get(nameOfClass(rt, type)) ?? null;
    if (header instanceof HeaderValue && header.javaClass.simpleName === 'GenericHeader') {
      rt.fail('org.forgerock.http.header.MalformedHeaderException', 'Header value(s) are not well formed');
    }
    return header;
  },
  'copyAsMultiMapOfStrings()': (_rt, self: GMap) => multiMap(self),
  'copyAsMapOfList()': (_rt, self: GMap) => multiMap(self),
  'asMapOfHeaders()': (_rt, self: GMap) => self,
};

const cookiesOf = (rt: Runtime, self: HeaderValue): List =>
  new List((self.parsed.cookies ?? []).map((fields) => new CookieValue(rt, { ...fields })));

const parsedMethods: Readonly<Record<string, Readonly<Record<string, LibraryFunction>>>> = {
  ContentTypeHeader: {
    'getType()': (_rt, self: HeaderValue) => self.parsed.type ?? null,
    'getCharset()': (rt, self: HeaderValue) => {
      const { charset = null } = self.parsed;
      return charset === null ? null : rt.callStatic(rt.class('java.nio.charset.Charset'), 'forName', [charset]);
    },
    'getBoundary()': (_rt, self: HeaderValue) => self.parsed.boundary ?? null,
  },
  ContentLengthHeader: { 'getLength()': (_rt, self: HeaderValue) => self.parsed.length ?? null },
  ConnectionHeader: { 'getTokens()': (_rt, self: HeaderValue) => new List([...(self.parsed.tokens ?? [])]) },
  ContentEncodingHeader: { 'getCodings()': (_rt, self: HeaderValue) => new List([...(self.parsed.tokens ?? [])]) },
  LocationHeader: { 'getLocationUri()': (_rt, self: HeaderValue) => self.first },
  CookieHeader: { 'getCookies()': cookiesOf as LibraryFunction },
  SetCookieHeader: { 'getCookies()': cookiesOf as LibraryFunction },
};

function fieldsOf(rt: Runtime, cookies: Value): CookieFields[] {
  return itemsNow(rt, cookies).map((cookie) => (cookie instanceof CookieValue ? cookie.fields : emptyCookie()));
}

function headerSpec({ className, name }: { readonly className: string; readonly name: string }): ClassSpec {
  const simple = className.slice(className.lastIndexOf('.') + 1);
  const isCookies = simple === 'SetCookieHeader' || simple === 'CookieHeader';
  return {
    name: className,
    superclass: `${PROTOCOL}Header`,
    methods: parsedMethods[simple] ?? {},
    constants: { NAME: name },
    statics: {
      'valueOf(String)': (rt, _self: Value, [text]: [string]) => headerOf(rt, name, [text]),
      'valueOf(org.forgerock.http.protocol.Message)': (rt, _self: Value, [message]: [{ headers: GMap }]) =>
        simple === 'CookieHeader'
          ? cookieHeaderOf(rt, message.headers.get(name))
          : (message.headers.get(name) ?? (isCookies ? null : headerOf(rt, name, []))),
    },
    constructors: isCookies
      ? {
          '(List)': (rt, _self: Value, [cookies]: [Value]) => {
            const texts = fieldsOf(rt, cookies);
            return new HeaderValue(rt, className, name, cookieTexts(simple, texts), { cookies: texts });
          },
        }
      : {
          '(String)': (rt, _self: Value, [text]: [string]) => headerOf(rt, name, [text]),
          '(long)': (rt, _self: Value, [length]: [bigint]) => headerOf(rt, name, [String(length)]),
        },
  };
}

/** OpenIG reads the text of the header once more, and takes a comma in it for the end of a cookie. */
function cookieHeaderOf(rt: Runtime, header: Value | undefined): Value {
  return header instanceof HeaderValue ? headerOf(rt, 'Cookie', commaSeparated(header.values)) : null;
}

function cookieTexts(kind: string, cookies: readonly CookieFields[]): string[] {
  return kind === 'SetCookieHeader' ? cookies.map(setCookieText) : [cookieText(cookies)];
}

export const headersClasses: readonly ClassSpec[] = [
  {
    name: `${PROTOCOL}Headers`,
    superclass: 'java.lang.Object',
    interfaces: ['java.util.Map'],
    methods: headersMethods,
    constructors: { '()': (rt) => newHeaders(rt) },
    setProperty: (rt, self: GMap, name, value) => {
      putHeader(rt, self, name, value);
      return true;
    },
  },
  {
    name: `${PROTOCOL}Header`,
    kind: 'abstract',
    methods: {
      'getName()': (_rt, self: HeaderValue) => self.name,
      'getValues()': (rt, self: HeaderValue) => fixedList(rt, [...self.values], 'UnmodifiableRandomAccessList'),
      'getFirstValue()': (_rt, self: HeaderValue) => self.first,
    },
  },
  {
    name: 'org.forgerock.http.header.GenericHeader',
    superclass: `${PROTOCOL}Header`,
    constructors: {
      '(String, String)': (rt, _self: Value, [name, value]: [string, string]) =>
        new HeaderValue(rt, 'org.forgerock.http.header.GenericHeader', name, [value]),
      '(String, Collection)': (rt, _self: Value, [name, values]: [string, Value]) =>
        new HeaderValue(
          rt,
          'org.forgerock.http.header.GenericHeader',
          name,
          itemsNow(rt, values).map((value) => rt.text(value)),
        ),
    },
  },
  ...knownHeaderClasses.map(headerSpec),
  { name: 'org.forgerock.http.header.MalformedHeaderException', superclass: 'java.lang.Exception' },
];
