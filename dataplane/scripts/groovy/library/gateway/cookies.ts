import { GMap, List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { DateValue } from '../time/date-value.ts';
import { type CookieFields, emptyCookie } from './cookie-text.ts';

/** A cookie as scripts see it. */
export class CookieValue implements Obj {
  readonly javaClass: JavaClass;
  readonly fields: CookieFields;

  constructor(rt: Runtime, fields: CookieFields = emptyCookie()) {
    this.javaClass = rt.class('org.forgerock.http.protocol.Cookie');
    this.fields = fields;
  }

  text(): string {
    const { name, value, domain, httpOnly, maxAge, path, secure, version, ports } = this.fields;
    const shown = { name, value, domain, httpOnly, maxAge, path, port: `[${ports.join(', ')}]`, secure };
    const parts = Object.entries(shown).filter(([, each]) => each !== null);
    return `[${parts.map(([key, each]) => `${key}=${each} `).join('')}${version === null ? '' : `version=${version}`}]`;
  }
}

/** Getter and setter of a field; setters return the cookie. */
function accessors(name: string, field: keyof CookieFields, type: string): Record<string, LibraryFunction> {
  const upper = name[0]!.toUpperCase() + name.slice(1);
  return {
    [`${type === 'Boolean' ? 'is' : 'get'}${upper}()`]: (_rt: Runtime, self: CookieValue) => self.fields[field],
    [`set${upper}(${type})`]: (_rt: Runtime, self: CookieValue, [value]: [Value]) => {
      Object.assign(self.fields, { [field]: value });
      return self;
    },
  };
}

export const cookieClasses: readonly ClassSpec[] = [
  {
    name: 'org.forgerock.http.protocol.Cookie',
    constructors: { '()': (rt) => new CookieValue(rt) },
    methods: {
      ...accessors('name', 'name', 'String'),
      ...accessors('value', 'value', 'String'),
      ...accessors('path', 'path', 'String'),
      ...accessors('domain', 'domain', 'String'),
      ...accessors('maxAge', 'maxAge', 'Integer'),
      ...accessors('secure', 'secure', 'Boolean'),
      ...accessors('httpOnly', 'httpOnly', 'Boolean'),
      ...accessors('version', 'version', 'Integer'),
      'getPort()': (_rt, self: CookieValue) => new List([...self.fields.ports]),
      'getExpires()': (rt, self: CookieValue) =>
        self.fields.expires === null ? null : new DateValue(rt, self.fields.expires),
      'setExpires(Date)': (_rt, self: CookieValue, [date]: [DateValue | null]) => {
        self.fields.expires = date?.time ?? null;
        return self;
      },
    },
  },
  {
    name: 'org.forgerock.http.protocol.RequestCookies',
    superclass: 'java.util.AbstractMap',
    methods: {
      'size()': (_rt, self: GMap) =>
        self.entries().reduce((sum, { value }) => sum + (value instanceof List ? value.items.length : 1), 0),
      'put(Object, Object)': (rt) => rt.fail('java.lang.UnsupportedOperationException', null),
      'putAll(Map)': (rt) => rt.fail('java.lang.UnsupportedOperationException', null),
      'toString()': (rt, self: GMap) => rt.javaText(self),
    },
  },
];

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Cookies of a request by name, whatever its case. */
export function cookieMap(rt: Runtime, cookies: readonly CookieFields[]): GMap {
  const map = new GMap(rt.class('org.forgerock.http.protocol.RequestCookies'), (left, right) =>
    byText(rt.text(left).toLowerCase(), rt.text(right).toLowerCase()),
  );
  for (const fields of cookies) {
    const list = map.get(fields.name);
    const cookie = new CookieValue(rt, { ...fields });
    if (list instanceof List) list.items.push(cookie);
    else map.put(fields.name, new List([cookie]));
  }
  return map;
}
