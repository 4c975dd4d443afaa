import { MESSAGES } from './messages.ts';
import { at, entrance, operation, shared } from './operations.ts';
import { RUNS } from './runs.ts';
import { VALUES } from './values.ts';

/**
 * Freezes everything that runs share, so that one request leaves nothing behind for the next. Properties that objects
 * of scripts often have themselves, such as `toString`, become accessors: assigning over a frozen one would fail.
 */
const FROZEN = `
const replaceable = (object, names) => {
  for (const name of names) {
    const property = Object.getOwnPropertyDescriptor(object, name);
    if (property === undefined || !('value' in property)) continue;
    const { value } = property;
    Object.defineProperty(object, name, {
      configurable: false,
      enumerable: property.enumerable,
      get: Object.freeze({ read: () => value }).read,
      set: Object.freeze({
        write(given) {
          if (this === object) throw new TypeError(String(name) + ' is read-only');
          Object.defineProperty(this, name, { value: given, writable: true, enumerable: true, configurable: true });
        },
      }).write,
    });
  }
};
const deepFrozen = (root) => {
  const seen = new Set();
  const left = [root];
  while (left.length > 0) {
    const object = left.pop();
    if ((typeof object !== 'object' || object === null) && typeof object !== 'function') continue;
    if (seen.has(object)) continue;
    seen.add(object);
    Object.freeze(object);
    left.push(Object.getPrototypeOf(object));
    for (const key of Reflect.ownKeys(object)) {
      const property = Object.getOwnPropertyDescriptor(object, key);
      left.push(property.value, property.get, property.set);
    }
  }
  return root;
};
const hidden = [(function* () {}), (async function () {}), (async function* () {}), [][Symbol.iterator](),
  new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g),
  [].values().map(String), Iterator.from({ next() {} }), Logger, Http, Clock, AuditService];
Object.assign(globalThis, { Headers, Request, Response, Uri, URLSearchParams, base64, crypto, environment, utf8 });
replaceable(Object.prototype, ['toString', 'toLocaleString', 'valueOf', 'constructor', 'hasOwnProperty']);
replaceable(Function.prototype, ['constructor', 'toString', 'bind', 'name']);
replaceable(Array.prototype, ['toString', 'concat', 'push', 'constructor']);
for (const type of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError])
  replaceable(type.prototype, ['constructor', 'name', 'message', 'toString']);
for (const type of [Headers, Request, Response, Uri, URLSearchParams]) replaceable(type.prototype, ['constructor']);
deepFrozen(hidden);
deepFrozen(globalThis);
`;

/** Numbers instead of names: looking a name up takes longer than most of what a script does. */
function numbered(text: string): string {
  const tables: Readonly<Record<string, Readonly<Record<string, number>>>> = { at, entrance, operation, shared };
  return text.replace(/\b(at|entrance|operation|shared)\.([a-zA-Z]+)/g, (_, table: string, name: string) => {
    const number = tables[table]![name];
    if (number === undefined) throw new Error(`${table} has no ${name}`);
    return String(number);
  });
}

/** Code that every context begins with. It takes the function of the host and returns those that enter it. */
export const PRELUDE = numbered(`(function (host) {
'use strict';
const SECRET = Symbol('gateway');
${VALUES}
${MESSAGES}
${RUNS}
${FROZEN}
return [setScript, begin, arrived, content, refused, forget, () => JSON.stringify(globals), settled, keep];
})`);
