/** Requests and responses as scripts see them. Changes stay here until the message is sent. */
export const MESSAGES = String.raw`
const NONE = Object.freeze([]);
const textOf = (value) => (typeof value === 'string' ? value : String(value));
const lineOf = (value) => {
  const text = textOf(value);
  if (text.includes('\n') || text.includes('\r') || text.includes('\0'))
    throw new TypeError('a header has no line breaks and no zeros');
  return text;
};
const linesOf = (value) => (Array.isArray(value) ? value.map(lineOf) : [lineOf(value)]);

/** Sets (0) or adds (1) a header of a message that came. The gateway checks one value, and cannot tell those of a list. */
const change = (message, name, mode, value) => {
  let refused;
  if (value === null || value === undefined || value.length === 0 && Array.isArray(value))
    refused = host(operation.setHeader, message[0], message[1], name, mode);
  else if (Array.isArray(value))
    refused = host(operation.setHeader, message[0], message[1], name, mode + 2, textOf(value.map(lineOf).join('\n')));
  else refused = host(operation.setHeader, message[0], message[1], name, mode, textOf(value));
  if (refused !== undefined) throw new TypeError('a header has no line breaks and no zeros');
};

class Headers {
  /** The message that came with them, as its run and number, or a map of lines for headers of the script. */
  #from;
  constructor(init, message) {
    if (init === SECRET) {
      this.#from = message;
      return;
    }
    this.#from = new Map();
    if (init === undefined || init === null) return;
    const entries = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
    for (const [name, value] of entries) this.add(name, value);
  }
  get(name) {
    const from = this.#from;
    if (from[0] === undefined) {
      const line = from.get(textOf(name).toLowerCase());
      return line === undefined ? null : line.values.join(', ');
    }
    return host(operation.header, from[0], from[1], typeof name === 'string' ? name : String(name)) ?? null;
  }
  getAll(name) {
    const from = this.#from;
    if (from[0] !== undefined) return host(operation.headerLines, from[0], from[1], textOf(name))?.split('\n') ?? [];
    const line = from.get(textOf(name).toLowerCase());
    return line === undefined ? [] : [...line.values];
  }
  has(name) {
    return this.getAll(name).length > 0;
  }
  set(name, value) {
    const from = this.#from;
    if (from[0] !== undefined) {
      if (typeof name !== 'string' || typeof value !== 'string') change(from, textOf(name), 0, value);
      else if (host(operation.setHeader, from[0], from[1], name, 0, value) !== undefined)
        throw new TypeError('a header has no line breaks and no zeros');
    } else {
      const values = value === null || value === undefined ? NONE : linesOf(value);
      const text = lineOf(name);
      if (values.length === 0) from.delete(text.toLowerCase());
      else from.set(text.toLowerCase(), { name: text, values });
    }
  }
  add(name, value) {
    const from = this.#from;
    if (from[0] !== undefined) change(from, textOf(name), 1, Array.isArray(value) ? value : textOf(value));
    else {
      const text = lineOf(name);
      this.set(text, [...this.getAll(text), ...linesOf(value)]);
    }
  }
  append(name, value) {
    this.add(name, value);
  }
  delete(name) {
    const text = lineOf(name);
    const had = this.has(text);
    this.set(text, null);
    return had;
  }
  #lines() {
    const from = this.#from;
    if (from[0] === undefined) return [...from.values()];
    const lines = new Map();
    for (const [name, value] of JSON.parse(host(operation.headers, from[0], from[1]))) {
      const key = name.toLowerCase();
      const line = lines.get(key);
      if (line === undefined) lines.set(key, { name, values: [value] });
      else line.values.push(value);
    }
    return [...lines.values()];
  }
  entries() {
    return this.#lines().map(({ name, values }) => [name, values.join(', ')])[Symbol.iterator]();
  }
  keys() {
    return this.#lines().map(({ name }) => name)[Symbol.iterator]();
  }
  values() {
    return this.#lines().map(({ values }) => values.join(', '))[Symbol.iterator]();
  }
  forEach(each) {
    for (const [name, value] of this.entries()) each(value, name, this);
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toJSON() {
    return Object.fromEntries(this.entries());
  }
  /** Lines of headers that the script made: values follow the name, and none of them has a line break. */
  static lines(headers) {
    let lines = '';
    for (const { name, values } of headers === null ? NONE : headers.#lines()) {
      if (lines !== '') lines += '\n';
      lines += name;
      for (let index = 0; index < values.length; index++) lines += '\r' + values[index];
    }
    return lines;
  }
}
const headerLines = Headers.lines;
delete Headers.lines;

/** Texts are sent as UTF-8. */
const FOREIGN = /;\s*charset\s*=\s*(?!"?utf-8)[^;]*/i;

class Entity {
  #message;
  #headers;
  #content;
  constructor(secret, message, headers) {
    if (secret !== SECRET) throw new TypeError('an entity belongs to a message');
    this.#message = message;
    this.#headers = headers;
    if (message === null) this.#content = '';
  }
  async text() {
    const content = this.#content;
    if (typeof content === 'string') return content;
    if (content !== undefined) return utf8.decode(content);
    return waiting(this.#message, operation.entity, this.#message[1], 0);
  }
  async json() {
    const text = await this.text();
    return text === '' ? null : JSON.parse(text);
  }
  async bytes() {
    const content = this.#content;
    if (typeof content === 'string') return utf8.encode(content);
    if (content !== undefined) return content.slice();
    return new Uint8Array(await waiting(this.#message, operation.entity, this.#message[1], 1));
  }
  async form() {
    return new URLSearchParams(await this.text());
  }
  set(value) {
    if (value === null || value === undefined) this.#content = '';
    else if (typeof value === 'string') {
      this.#content = value;
      const type = this.#headers.get('content-type');
      if (type !== null && FOREIGN.test(type))
        this.#headers.set('Content-Type', type.replace(FOREIGN, ';charset=UTF-8'));
    }
    else if (value instanceof Uint8Array) this.#content = new Uint8Array(value); // its methods may be the script's
    else if (value instanceof ArrayBuffer) this.#content = new Uint8Array(new Uint8Array(value));
    else if (value instanceof URLSearchParams) {
      this.#content = value.toString();
      this.#headers.set('Content-Type', 'application/x-www-form-urlencoded');
    } else {
      const text = JSON.stringify(value);
      if (text === undefined) throw new TypeError('the content has no JSON form');
      this.#content = text;
      this.#headers.set('Content-Type', 'application/json; charset=UTF-8');
    }
  }
  static content(entity) {
    return entity === null ? undefined : entity.#content;
  }
}
const contentOf = Entity.content;
delete Entity.content;

/** Headers and content are made when the script asks for them. They know the message by its numbers, not the other way. */
const headersOf = (message) =>
  (message[at.headers] ??=
    message[at.run] === 0 ? new Headers() : new Headers(SECRET, [message[at.run], message[at.id]]));
const entityOf = (message) =>
  (message[at.entity] ??= new Entity(
    SECRET,
    message[at.run] === 0 ? null : [message[at.run], message[at.id]],
    headersOf(message),
  ));

class Request {
  #message;
  constructor(method, uri, init) {
    if (method === SECRET) {
      this.#message = uri;
      return;
    }
    this.#message = [0, -1, new Headers(init?.headers), null, textOf(method).toUpperCase(), new Uri(uri)];
    if (init?.body !== undefined) this.entity = init.body;
  }
  get method() {
    const message = this.#message;
    return (message[at.method] ??= host(operation.field, message[at.run], message[at.id], 0));
  }
  set method(value) {
    this.#message[at.method] = textOf(value);
  }
  get uri() {
    const message = this.#message;
    return (message[at.uri] ??= new Uri(host(operation.field, message[at.run], message[at.id], 1)));
  }
  set uri(value) {
    this.#message[at.uri] = new Uri(value);
  }
  get headers() {
    const message = this.#message;
    return message[at.headers] ?? headersOf(message);
  }
  get entity() {
    return entityOf(this.#message);
  }
  set entity(value) {
    entityOf(this.#message).set(value);
  }
  get queryParams() {
    const uri = this.uri;
    return new URLSearchParams(uri.rawQuery ?? '', SECRET, (text) => {
      uri.rawQuery = text === '' ? null : text;
    });
  }
  get cookies() {
    const found = Object.create(null);
    for (const line of this.headers.getAll('cookie'))
      for (const part of line.split(';')) {
        const equals = part.indexOf('=');
        const name = part.slice(0, Math.max(0, equals)).trim();
        if (name === '' || name in found) continue;
        const value = part.slice(equals + 1).trim();
        found[name] = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
      }
    return found;
  }
  /** The parts of a request, or null for another value. */
  static parts(value) {
    return typeof value === 'object' && value !== null && #message in value ? value.#message : null;
  }
}
const requestParts = Request.parts;
delete Request.parts;

const checkedRun = (message, run, name) => {
  if (message[at.run] !== 0 && message[at.run] !== run) throw new TypeError('the ' + name + ' belongs to another run');
};
/** The parts that a script changed, beside headers of the request that came; null if there are none. */
const requestRest = (message, run) => {
  checkedRun(message, run, 'request');
  const isOwn = message[at.run] === 0;
  const body = contentOf(message[at.entity]);
  if (!isOwn && body === undefined && message[at.method] === null && message[at.uri] === null) return null;
  const headers = isOwn ? headerLines(message[at.headers]) : undefined;
  return { isOwn, method: message[at.method], uri: message[at.uri]?.toString(), headers, body };
};

class Response {
  #message;
  constructor(status, init) {
    if (status === SECRET) {
      this.#message = init;
      return;
    }
    const own = [0, -1, null, null, status === undefined ? 200 : Number(status), null];
    this.#message = own;
    if (init === undefined) return;
    if (init.headers !== undefined) own[at.headers] = new Headers(init.headers);
    if (init.reason !== undefined) own[at.reason] = textOf(init.reason);
    if (init.body !== undefined) this.entity = init.body;
  }
  get status() {
    return this.#message[at.status];
  }
  set status(value) {
    this.#message[at.status] = Number(value);
    this.#message[at.reason] = '';
  }
  get reason() {
    const message = this.#message;
    if (message[at.reason] === null && message[at.run] !== 0)
      message[at.reason] = host(operation.field, message[at.run], message[at.id], 2);
    return message[at.reason] ?? '';
  }
  set reason(value) {
    this.#message[at.reason] = textOf(value);
  }
  get ok() {
    const status = this.#message[at.status];
    return status >= 200 && status < 300;
  }
  get headers() {
    const message = this.#message;
    return message[at.headers] ?? headersOf(message);
  }
  get entity() {
    return entityOf(this.#message);
  }
  set entity(value) {
    entityOf(this.#message).set(value);
  }
  /** The parts of a response, or null for another value. */
  static parts(value) {
    return typeof value === 'object' && value !== null && #message in value ? value.#message : null;
  }
}
const responseParts = Response.parts;
delete Response.parts;

/** The parts that a script changed, beside status and headers of a response that came; null if there are none. */
const responseRest = (message, run) => {
  checkedRun(message, run, 'response');
  const body = contentOf(message[at.entity]);
  const isOwn = message[at.run] === 0;
  if (!isOwn && body === undefined && message[at.reason] === null) return null;
  return { reason: message[at.reason], headers: isOwn ? headerLines(message[at.headers]) : undefined, body };
};
`;
