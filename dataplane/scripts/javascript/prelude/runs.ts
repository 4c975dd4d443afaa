/** Runs of the script: begins them, waits for the gateway, and hands over their results. */
export const RUNS = String.raw`
const pending = new Map();
let lastCall = 0;
let script = null;
let mentions = { attributes: false, session: false };
let globals = {};

/** Texts with zeros come as JSON. */
const plain = (text) => {
  if (text === undefined) return undefined;
  return text.charCodeAt(0) === 0x6a ? JSON.parse(text.slice(1)) : text.slice(1);
};

const waiting = (message, op, ...values) =>
  new Promise((resolve, reject) => {
    const call = ++lastCall;
    pending.set(call, { state: message.state ?? message, resolve, reject });
    host(op, message.run, call, ...values);
  });

const bodyOf = (rest) => {
  if (!(rest?.body instanceof Uint8Array)) return undefined;
  const { buffer } = rest.body;
  rest.body = undefined;
  return buffer;
};
/** Texts have no zeros; the rest of a message is JSON. */
const restOf = (rest) => (rest === null ? '' : JSON.stringify(rest));

/** Attributes and session are plain objects, written back where they changed. */
const loadMap = (state, which) => {
  const now = JSON.parse(host(operation.state, state.run, which));
  const known = state.known[which];
  const map = state.maps[which];
  for (const name of known.keys()) if (!(name in now)) delete map[name];
  const before = new Map(known);
  known.clear();
  for (const name of Object.keys(now)) {
    const text = JSON.stringify(now[name]);
    known.set(name, text);
    if (before.get(name) !== text || !(name in map)) map[name] = now[name];
  }
};
const storeMap = (state, which) => {
  const known = state.known[which];
  const map = state.maps[which];
  const changed = [];
  const gone = [...known.keys()].filter((name) => !Object.hasOwn(map, name));
  for (const name of Object.keys(map)) {
    const text = JSON.stringify(map[name]);
    if (text === known.get(name)) continue;
    if (text === undefined) throw new TypeError('the value of ' + name + ' has no JSON form');
    changed.push([name, map[name]]);
    known.set(name, text);
  }
  for (const name of gone) known.delete(name);
  if (changed.length === 0 && gone.length === 0) return;
  host(operation.store, state.run, which, JSON.stringify({ changed, gone }));
};
const load = (state) => {
  if (!hasMaps) return;
  if (mentions.attributes) loadMap(state, shared.attributes);
  if (mentions.session) loadMap(state, shared.session);
};
const store = (state) => {
  if (!hasMaps) return;
  if (mentions.attributes) storeMap(state, shared.attributes);
  if (mentions.session) storeMap(state, shared.session);
};

const context = (state, name) => {
  const text = plain(host(operation.context, state.run, textOf(name)));
  return text === undefined ? undefined : JSON.parse(text);
};
const contextsOf = (state) => {
  const made = {};
  for (const name of JSON.parse(host(operation.contextNames, state.run)))
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = context(state, name);
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  if (mentions.attributes) Object.defineProperty(made, 'attributes', { value: { attributes: state.maps[0] } });
  if (mentions.session) Object.defineProperty(made, 'session', { value: { session: state.maps[1] } });
  return made;
};

/** Objects with the rights of a run are made by the gateway only. */
const trusted = (secret, state) => {
  if (secret !== SECRET) throw new TypeError('only the gateway makes objects of this class');
  return state;
};

class Logger {
  #state;
  constructor(secret, state) {
    this.#state = trusted(secret, state);
  }
  #write(level, parts) {
    const text = parts.map((part) => (typeof part === 'string' ? part : shownText(part))).join(' ');
    host(operation.log, this.#state.run, level, JSON.stringify(text));
  }
  trace(...parts) {
    this.#write('trace', parts);
  }
  debug(...parts) {
    this.#write('debug', parts);
  }
  info(...parts) {
    this.#write('info', parts);
  }
  warn(...parts) {
    this.#write('warn', parts);
  }
  error(...parts) {
    this.#write('error', parts);
  }
}
const shownText = (value) => {
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value) ?? String(value);
  return String(value);
};

class Http {
  #state;
  #index;
  constructor(secret, state, index) {
    this.#state = trusted(secret, state);
    this.#index = index;
  }
  async send(request, init) {
    const state = this.#state;
    const made =
      request instanceof Request ? request : new Request(init?.method ?? 'GET', request, init);
    const sent = sentRequest(made, state.run);
    let { headers, rest } = sent;
    if (made === state.request) {
      rest = { isOwn: true, method: made.method, uri: made.uri.toString(), body: rest?.body };
      if (rest.body === undefined) rest.body = await made.entity.bytes();
      headers = changesOf(new Headers(made.headers));
    }
    const body = bodyOf(rest);
    if (this.#index === undefined) return waiting(state, operation.send, headers, restOf(rest), body);
    return waiting(state, operation.send, headers, restOf(rest), body, this.#index);
  }
}

class Clock {
  #state;
  #index;
  constructor(secret, state, index) {
    this.#state = trusted(secret, state);
    this.#index = index;
  }
  millis() {
    return host(operation.clock, this.#state.run, this.#index);
  }
  instant() {
    return new Date(this.millis());
  }
}

class AuditService {
  #state;
  #index;
  constructor(secret, state, index) {
    this.#state = trusted(secret, state);
    this.#index = index;
  }
  async publish(topic, event) {
    const text = JSON.stringify([textOf(topic), event]);
    const problem = plain(host(operation.publish, this.#state.run, this.#index, text));
    if (problem !== undefined) throw new TypeError(problem);
  }
}

const nextOf = (state) => (request) =>
  new Promise((resolve, reject) => {
    if (request !== undefined && !(request instanceof Request)) throw new TypeError('next takes a request');
    const sent = sentRequest(request ?? state.request, state.run);
    store(state);
    const call = ++lastCall;
    pending.set(call, { state, resolve, reject });
    const { headers, rest } = sent;
    if (rest === null) host(operation.next, state.run, call, headers);
    else {
      const body = bodyOf(rest);
      host(operation.next, state.run, call, headers, restOf(rest), body);
    }
  });

const factories = {
  request: (state) => state.request,
  next: nextOf,
  attributes: (state) => state.maps[0],
  session: (state) => state.maps[1],
  contexts: (state) => (state.contexts ??= contextsOf(state)),
  context: (state) => (state.contexts ??= contextsOf(state)).router,
  globals: () => globals,
  http: (state) => new Http(SECRET, state),
  logger: (state) => new Logger(SECRET, state),
  handler: (state, index) => new Http(SECRET, state, index),
  clock: (state, index) => new Clock(SECRET, state, index),
  auditService: (state, index) => new AuditService(SECRET, state, index),
};

const describeError = (error) => {
  try {
    if (!(error instanceof Error)) return 'thrown: ' + textOf(typeof error === 'object' ? JSON.stringify(error) : error);
    return textOf(error.name) + ': ' + textOf(error.message);
  } catch {
    return 'an exception without a text';
  }
};

/** The script begins in the second line of its wrapping. */
const lineOfError = (error) => {
  try {
    const place = /\bscript:(\d+):/.exec(textOf(error.stack));
    return place === null ? 0 : place[1] - 1;
  } catch {
    return 0;
  }
};

const finish = (state, value) => {
  if (value instanceof Response) {
    const { id, status, headers, rest } = sentResponse(value, state.run);
    store(state);
    if (rest === null) host(operation.done, state.run, 1, id, status, headers);
    else {
      const body = bodyOf(rest);
      host(operation.done, state.run, 1, id, status, headers, restOf(rest), body);
    }
    return;
  }
  store(state);
  if (value === undefined || value === null) host(operation.done, state.run, 0);
  else {
    // JSON has null for it, which is a token that does not expire.
    if (Number.isNaN(value.expiresAt)) throw new TypeError('expiresAt of the result is NaN');
    const text = JSON.stringify(value instanceof Set ? [...value] : value);
    if (text === undefined) throw new TypeError('the result of the script has no JSON form');
    host(operation.done, state.run, 2, text);
  }
};

const begin = (run, request) => {
  const state = { run, request: null, contexts: null, maps: null, known: null };
  try {
    if (hasMaps) {
      state.maps = [{}, {}];
      state.known = [new Map(), new Map()];
      load(state);
    }
    if (request >= 0) state.request = new Request(null, null, null, SECRET, { state, run, id: request });
    const result = script(state, hasVariables ? JSON.parse(host(operation.field, run, -1, 3)) : NONE);
    then.call(result, (value) => ended(state, value), (error) => failed(state, error));
  } catch (error) {
    failed(state, error);
  }
};
const { then } = Promise.prototype;
let hasVariables = false;
let hasMaps = false;
/** Nothing waits for the collector of cycles, which looks at everything that there is. */
const leave = (state) => {
  state.request = null;
  state.contexts = null;
};
const failed = (state, error) => {
  leave(state);
  host(operation.failed, state.run, JSON.stringify(describeError(error)), isMemory(error) ? 1 : 0, lineOfError(error));
};
const ended = (state, value) => {
  try {
    finish(state, value);
    leave(state);
  } catch (error) {
    failed(state, error);
  }
};
const isMemory = (error) => error instanceof InternalError && error.message === 'out of memory';

const entrances = {
  [entrance.script](made, text) {
    const given = JSON.parse(text);
    script = made(factories, deepFrozen(given.constants));
    hasVariables = given.hasVariables;
    mentions = given.mentions;
    hasMaps = mentions.attributes || mentions.session;
    globals = given.globals;
  },
  [entrance.begin]: begin,
  [entrance.arrived](call, status, id) {
    const { state, resolve } = take(call);
    load(state);
    resolve(new Response(status, null, SECRET, { state, run: state.run, id }));
  },
  [entrance.content]: (call, content) => take(call).resolve(typeof content === 'string' ? plain(content) : content),
  [entrance.refused]: (call, text) => take(call).reject(new TypeError(plain(text))),
  [entrance.forget](run) {
    for (const [call, { state }] of pending) if (state.run === run) pending.delete(call);
  },
  [entrance.globals]: () => JSON.stringify(globals),
};
const take = (call) => {
  const found = pending.get(call);
  pending.delete(call);
  return found;
};
`;
