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

class Headers {
  #message;
  #changed = new Map();
  constructor(init, secret, message) {
    this.#message = secret === SECRET ? message : null;
    if (init === undefined || init === null) return;
    const entries = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
    for (const [name, value] of entries) this.add(name, value);
  }
  #text(key) {
    const message = this.#message;
    return message === null ? undefined : host(operation.header, message.run, message.id, key);
  }
  get(name) {
    const key = textOf(name).toLowerCase();
    const changed = this.#changed.get(key);
    if (changed !== undefined) return changed.values.length === 0 ? null : changed.values.join(', ');
    const text = this.#text(key);
    if (text === undefined) return null;
    return text.includes('\n') ? text.replaceAll('\n', ', ') : text;
  }
  getAll(name) {
    const key = textOf(name).toLowerCase();
    const changed = this.#changed.get(key);
    return changed !== undefined ? [...changed.values] : this.#text(key)?.split('\n') ?? [];
  }
  has(name) {
    return this.getAll(name).length > 0;
  }
  set(name, value) {
    const values = value === null || value === undefined ? NONE : linesOf(value);
    const text = lineOf(name);
    this.#changed.set(text.toLowerCase(), { name: text, values });
  }
  add(name, value) {
    const text = lineOf(name);
    this.#changed.set(text.toLowerCase(), { name: text, values: [...this.getAll(text), ...linesOf(value)] });
  }
  append(name, value) {
    this.add(name, value);
  }
  delete(name) {
    const text = lineOf(name);
    const had = this.has(text);
    this.#changed.set(text.toLowerCase(), { name: text, values: NONE });
    return had;
  }
  #lines() {
    const message = this.#message;
    const came = message === null ? [] : JSON.parse(host(operation.headers, message.run, message.id));
    const lines = new Map();
    for (const [name, value] of came) {
      const key = name.toLowerCase();
      if (this.#changed.has(key)) continue;
      const line = lines.get(key);
      if (line === undefined) lines.set(key, { name, values: [value] });
      else line.values.push(value);
    }
    for (const [key, line] of this.#changed) if (line.values.length > 0) lines.set(key, line);
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
  static changes(headers) {
    let lines = '';
    for (const { name, values } of headers.#changed.values()) {
      if (lines !== '') lines += '\n';
      lines += name;
      for (let index = 0; index < values.length; index++) lines += '\r' + values[index];
    }
    return lines;
  }
}
const changesOf = Headers.changes;
delete Headers.changes;

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
    return waiting(this.#message, operation.entity, this.#message.id, 0);
  }
  async json() {
    const text = await this.text();
    return text === '' ? null : JSON.parse(text);
  }
  async bytes() {
    const content = this.#content;
    if (typeof content === 'string') return utf8.encode(content);
    if (content !== undefined) return content.slice();
    return new Uint8Array(await waiting(this.#message, operation.entity, this.#message.id, 1));
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

class Request {
  #message;
  #method = null;
  #uri = null;
  #headers = null;
  #entity = null;
  constructor(method, uri, init, secret, message) {
    this.#message = secret === SECRET ? message : null;
    if (secret === SECRET) return;
    this.#method = textOf(method).toUpperCase();
    this.#uri = new Uri(uri);
    this.#headers = new Headers(init?.headers);
    if (init?.body !== undefined) this.entity = init.body;
  }
  #field(index) {
    return host(operation.field, this.#message.run, this.#message.id, index);
  }
  get method() {
    return (this.#method ??= this.#field(0));
  }
  set method(value) {
    this.#method = textOf(value);
  }
  get uri() {
    return (this.#uri ??= new Uri(this.#field(1)));
  }
  set uri(value) {
    this.#uri = new Uri(value);
  }
  get headers() {
    return (this.#headers ??= new Headers(null, SECRET, this.#message));
  }
  get entity() {
    return (this.#entity ??= new Entity(SECRET, this.#message, this.headers));
  }
  set entity(value) {
    this.entity.set(value);
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
        const at = part.indexOf('=');
        const name = part.slice(0, Math.max(0, at)).trim();
        if (name === '' || name in found) continue;
        const value = part.slice(at + 1).trim();
        found[name] = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
      }
    return found;
  }
  static sent(request, run) {
    const message = request.#message;
    if (message !== null && message.run !== run) throw new TypeError('the request belongs to another run');
    const headers = request.#headers === null ? '' : changesOf(request.#headers);
    const body = contentOf(request.#entity);
    const isPlain = message !== null && body === undefined && request.#method === null && request.#uri === null;
    const isOwn = message === null;
    const rest = isPlain ? null : { isOwn, method: request.#method, uri: request.#uri?.toString(), body };
    return { headers, rest };
  }
}
const sentRequest = Request.sent;
delete Request.sent;

class Response {
  #message;
  #status;
  #reason = null;
  #headers = null;
  #entity = null;
  constructor(status, init, secret, message) {
    this.#message = secret === SECRET ? message : null;
    this.#status = status === undefined ? 200 : Number(status);
    if (secret === SECRET) return;
    if (init === undefined) return;
    if (init.headers !== undefined) this.#headers = new Headers(init.headers);
    if (init.reason !== undefined) this.#reason = textOf(init.reason);
    if (init.body !== undefined) this.entity = init.body;
  }
  get status() {
    return this.#status;
  }
  set status(value) {
    this.#status = Number(value);
    this.#reason = '';
  }
  get reason() {
    if (this.#reason === null && this.#message !== null)
      this.#reason = host(operation.field, this.#message.run, this.#message.id, 2);
    return this.#reason ?? '';
  }
  set reason(value) {
    this.#reason = textOf(value);
  }
  get ok() {
    return this.#status >= 200 && this.#status < 300;
  }
  get headers() {
    return (this.#headers ??= new Headers(null, SECRET, this.#message));
  }
  get entity() {
    return (this.#entity ??= new Entity(SECRET, this.#message, this.headers));
  }
  set entity(value) {
    this.entity.set(value);
  }
  static sent(response, run) {
    const message = response.#message;
    if (message !== null && message.run !== run) throw new TypeError('the response belongs to another run');
    const headers = response.#headers === null ? '' : changesOf(response.#headers);
    const body = contentOf(response.#entity);
    const isPlain = body === undefined && response.#reason === null;
    const rest = isPlain ? null : { reason: response.#reason, body };
    return { id: message === null ? -1 : message.id, status: response.#status, headers, rest };
  }
}
const sentResponse = Response.sent;
delete Response.sent;
`;
