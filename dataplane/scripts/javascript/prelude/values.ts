/** URIs, parameters, digests and encodings for scripts. */
export const VALUES = String.raw`
const URI = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const decodedText = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const encodedPath = (text) => encodeURI(text).replaceAll('?', '%3F').replaceAll('#', '%23');

class Uri {
  #scheme;
  #authority;
  #path;
  #query;
  #fragment;
  constructor(text) {
    const match = URI.exec(textOf(text));
    if (match === null) throw new TypeError('not an absolute URI: ' + textOf(text));
    this.#scheme = match[1];
    this.#authority = match[2];
    this.#path = match[3];
    this.#query = match[4] ?? null;
    this.#fragment = match[5] ?? null;
  }
  get scheme() {
    return this.#scheme;
  }
  set scheme(value) {
    this.#scheme = textOf(value);
  }
  get authority() {
    return this.#authority;
  }
  set authority(value) {
    this.#authority = textOf(value);
  }
  get host() {
    return this.#authority.replace(/:\d*$/, '');
  }
  set host(value) {
    this.#authority = textOf(value) + (/:\d*$/.exec(this.#authority)?.[0] ?? '');
  }
  get port() {
    const port = /:(\d+)$/.exec(this.#authority)?.[1];
    return port === undefined ? -1 : Number(port);
  }
  set port(value) {
    const port = Number(value);
    this.#authority = this.host + (port >= 0 ? ':' + port : '');
  }
  get path() {
    return decodedText(this.#path);
  }
  set path(value) {
    this.#path = encodedPath(textOf(value));
  }
  get rawPath() {
    return this.#path;
  }
  set rawPath(value) {
    this.#path = textOf(value);
  }
  get query() {
    return this.#query === null ? null : decodedText(this.#query);
  }
  set query(value) {
    this.#query = value === null || value === undefined ? null : encodeURI(textOf(value)).replaceAll('#', '%23');
  }
  get rawQuery() {
    return this.#query;
  }
  set rawQuery(value) {
    this.#query = value === null || value === undefined ? null : textOf(value);
  }
  toString() {
    const query = this.#query === null ? '' : '?' + this.#query;
    return this.#scheme + '://' + this.#authority + this.#path + query + (this.#fragment === null ? '' : '#' + this.#fragment);
  }
  toJSON() {
    return this.toString();
  }
}

const formDecoded = (text) => decodedText(text.replaceAll('+', ' '));
const formEncoded = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (part) =>
    part === '%20' ? '+' : '%' + part.charCodeAt(0).toString(16).toUpperCase(),
  );

class URLSearchParams {
  #pairs = [];
  #write = null;
  constructor(init, secret, write) {
    if (secret === SECRET) this.#write = write;
    if (init === undefined || init === null) return;
    if (typeof init === 'object') {
      const entries = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const [name, value] of entries) this.#pairs.push([textOf(name), textOf(value)]);
      return;
    }
    for (const part of textOf(init).replace(/^\?/, '').split('&')) {
      if (part === '') continue;
      const at = part.indexOf('=');
      if (at < 0) this.#pairs.push([formDecoded(part), '']);
      else this.#pairs.push([formDecoded(part.slice(0, at)), formDecoded(part.slice(at + 1))]);
    }
  }
  #changed() {
    this.#write?.(this.toString());
  }
  get(name) {
    return this.#pairs.find((pair) => pair[0] === name)?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
  }
  has(name) {
    return this.#pairs.some((pair) => pair[0] === name);
  }
  set(name, value) {
    const found = this.#pairs.find((pair) => pair[0] === name);
    if (found === undefined) this.#pairs.push([textOf(name), textOf(value)]);
    else {
      found[1] = textOf(value);
      this.#pairs = this.#pairs.filter((pair) => pair === found || pair[0] !== name);
    }
    this.#changed();
  }
  append(name, value) {
    this.#pairs.push([textOf(name), textOf(value)]);
    this.#changed();
  }
  delete(name) {
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== name);
    this.#changed();
  }
  entries() {
    return this.#pairs.map(([name, value]) => [name, value])[Symbol.iterator]();
  }
  keys() {
    return this.#pairs.map(([name]) => name)[Symbol.iterator]();
  }
  values() {
    return this.#pairs.map(([, value]) => value)[Symbol.iterator]();
  }
  forEach(each) {
    for (const [name, value] of this.entries()) each(value, name, this);
  }
  get size() {
    return this.#pairs.length;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([name, value]) => formEncoded(name) + '=' + formEncoded(value)).join('&');
  }
}

const MOST_BYTES = 1 << 20;
const copyOf = (bytes) => new Uint8Array(bytes).buffer;
const bytesOf = (value) => {
  const bytes = value instanceof Uint8Array ? new Uint8Array(value) : utf8.encode(textOf(value));
  if (bytes.length > MOST_BYTES) throw new RangeError('the value has more than ' + MOST_BYTES + ' bytes');
  return bytes.buffer;
};
const utf8 = {
  encode: (text) => new Uint8Array(host(operation.decoded, 0, 'utf8', JSON.stringify(textOf(text)))),
  decode: (bytes) => plain(host(operation.encoded, 0, 'utf8', copyOf(bytes))),
};
const base64 = {
  encode: (value) => host(operation.encoded, 0, 'base64', bytesOf(value)),
  encodeUrl: (value) => host(operation.encoded, 0, 'base64url', bytesOf(value)),
  decode: (text) => new Uint8Array(host(operation.decoded, 0, 'base64', JSON.stringify(textOf(text)))),
  decodeText: (text) => utf8.decode(base64.decode(text)),
};
const crypto = {
  digest: (name, value, form = 'hex') => digested(name, bytesOf(value), form),
  hmac: (name, key, value, form = 'hex') => digested(name, bytesOf(value), form, bytesOf(key)),
  randomUUID: () => host(operation.random, 0),
};
const digested = (name, value, form, key) => {
  if (!['hex', 'base64', 'base64url'].includes(form)) throw new RangeError('not a form of digests: ' + textOf(form));
  const result = host(operation.digest, 0, textOf(name).toLowerCase().replace('-', '') + ' ' + form, value, key);
  if (result === undefined) throw new RangeError('not a digest: ' + textOf(name));
  return result;
};
const environment = {
  get: (name) => plain(host(operation.surroundings, 0, 0, textOf(name))) ?? null,
  property: (name) => plain(host(operation.surroundings, 0, 1, textOf(name))) ?? null,
};
`;
