/** Runs of the script: begins them, waits for the gateway, and hands over their results. */
export const RUNS = String.raw`
const pending = new Map();
let lastCall = 0;
let script = null;
let mentions = { attributes: false, session: false };
let globals = {};
let hasVariables = false;
let hasMaps = false;
/** Runs that have more than their request when they end, by number. */
const states = new Map();
let keepsStates = false;

/** Texts with zeros come as JSON. */
const plain = (text) => {
  if (text === undefined) return undefined;
  return text.charCodeAt(0) === 0x6a ? JSON.parse(text.slice(1)) : text.slice(1);
};

/**
 * The last promise of a request that the script passed on, its number, and its run with its functions. If the script
 * returns the promise and nobody else can see it, nobody needs them: the response is the result.
 */
let passed = null;
let passedCall = 0;
let passedOn = null;
/** Keeps the functions of the promise until the response is there. */
const keep = () => {
  pending.set(passedCall, passedOn);
  passed = null;
  passedOn = null;
};
/** One executor for all promises, which are made one by one. */
let resolveNew = null;
let rejectNew = null;
const keepFunctions = (resolve, reject) => {
  resolveNew = resolve;
  rejectNew = reject;
};
/** A promise that the gateway settles. */
const pendingPromise = (run, call) => {
  const made = new Promise(keepFunctions);
  pending.set(call, [run, resolveNew, rejectNew, null]);
  return made;
};
/** The message is that of the run, or has its number. */
const waiting = (message, op, ...values) => {
  const call = ++lastCall;
  const made = pendingPromise(message[at.run], call);
  host(op, message[at.run], call, ...values);
  return made;
};

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
  const now = JSON.parse(host(operation.state, state[at.run], which));
  const known = state[at.known][which];
  const map = state[at.maps][which];
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
  const known = state[at.known][which];
  const map = state[at.maps][which];
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
  host(operation.store, state[at.run], which, JSON.stringify({ changed, gone }));
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
  const text = plain(host(operation.context, state[at.run], textOf(name)));
  return text === undefined ? undefined : JSON.parse(text);
};
const contextsOf = (state) => {
  const made = {};
  for (const name of JSON.parse(host(operation.contextNames, state[at.run])))
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = context(state, name);
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  if (mentions.attributes) Object.defineProperty(made, 'attributes', { value: { attributes: state[at.maps][0] } });
  if (mentions.session) Object.defineProperty(made, 'session', { value: { session: state[at.maps][1] } });
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
    host(operation.log, this.#state[at.run], level, JSON.stringify(text));
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
    const made = requestParts(request) === null ? new Request(init?.method ?? 'GET', request, init) : request;
    const message = requestParts(made);
    let rest = requestRest(message, state[at.run]);
    if (message === state) {
      const headers = headerLines(made.headers);
      rest = { isOwn: true, method: made.method, uri: made.uri.toString(), headers, body: rest?.body };
      if (rest.body === undefined) rest.body = await made.entity.bytes();
    }
    const body = bodyOf(rest);
    if (this.#index === undefined) return waiting(state, operation.send, restOf(rest), body);
    return waiting(state, operation.send, restOf(rest), body, this.#index);
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
    return host(operation.clock, this.#state[at.run], this.#index);
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
    const problem = plain(host(operation.publish, this.#state[at.run], this.#index, text));
    if (problem !== undefined) throw new TypeError(problem);
  }
}

const nextOf = (state) => (request) => {
  const call = ++lastCall;
  const made = new Promise(keepFunctions);
  const message = request === undefined ? state : requestParts(request);
  // A request that came, of which at most headers were changed.
  if (message === state && state[at.entity] === null && state[at.method] === null && state[at.uri] === null && !hasMaps) {
    if (passed !== null) keep();
    passed = made;
    passedCall = call;
    passedOn = [state[at.run], resolveNew, rejectNew, null];
    host(operation.next, state[at.run], call, made);
    return made;
  }
  pending.set(call, [state[at.run], resolveNew, rejectNew, hasMaps ? state : null]);
  const reject = rejectNew;
  try {
    if (message === null) throw new TypeError('next takes a request');
    const rest = requestRest(message, state[at.run]);
    store(state);
    if (rest === null) host(operation.next, state[at.run], call);
    else {
      const body = bodyOf(rest);
      host(operation.next, state[at.run], call, restOf(rest), body);
    }
  } catch (error) {
    pending.delete(call);
    reject(error);
  }
  return made;
};

const factories = {
  request: (state) => new Request(SECRET, state),
  next: nextOf,
  attributes: (state) => state[at.maps][0],
  session: (state) => state[at.maps][1],
  contexts: (state) => (state[at.contexts] ??= contextsOf(state)),
  context: (state) => (state[at.contexts] ??= contextsOf(state)).router,
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

const finish = (run, state, value) => {
  const message = responseParts(value);
  if (message !== null) {
    // A response that came, of which at most status and headers were changed.
    if (message[at.run] === run && message[at.entity] === null && message[at.reason] === null && !hasMaps) {
      host(operation.done, run, 1, message[at.id], message[at.status]);
      return;
    }
    const rest = responseRest(message, run);
    if (state !== undefined) store(state);
    if (rest === null) host(operation.done, run, 1, message[at.id], message[at.status]);
    else {
      const body = bodyOf(rest);
      host(operation.done, run, 1, message[at.id], message[at.status], restOf(rest), body);
    }
    return;
  }
  if (state !== undefined) store(state);
  if (value === undefined || value === null) host(operation.done, run, 0);
  else {
    // JSON has null for it, which is a token that does not expire.
    if (Number.isNaN(value.expiresAt)) throw new TypeError('expiresAt of the result is NaN');
    const text = JSON.stringify(value instanceof Set ? [...value] : value);
    if (text === undefined) throw new TypeError('the result of the script has no JSON form');
    host(operation.done, run, 2, text);
  }
};

const promised = Promise.resolve;
/** @returns the promise of the result, which the gateway looks at, or nothing if the run is over */
const begin = (run, request) => {
  const state = [run, request, null, null, null, null, null, null, null];
  try {
    if (hasMaps) {
      state[at.maps] = [{}, {}];
      state[at.known] = [new Map(), new Map()];
      load(state);
    }
    const result = script(state, hasVariables ? JSON.parse(host(operation.field, run, -1, 3)) : NONE);
    if (passed !== null) {
      if (result === passed && passedOn[0] === run) {
        passed = null;
        leave(state);
        return result;
      }
      keep();
    }
    if (typeof result === 'object' && result !== null && typeof result.then === 'function') {
      const made = promised.call(Promise, result);
      if (keepsStates) states.set(run, state);
      return made;
    }
    finish(run, state, result);
    leave(state);
  } catch (error) {
    leave(state);
    failed(run, error);
  }
};
/** Nothing waits for the collector of cycles, which looks at everything that there is. */
const leave = (state) => {
  state[at.contexts] = null;
};
const failed = (run, error) => {
  host(operation.failed, run, JSON.stringify(describeError(error)), isMemory(error) ? 1 : 0, lineOfError(error));
};
/** The promise of a result is settled. */
const settled = (run, value, isRejected) => {
  let state;
  if (keepsStates) {
    state = states.get(run);
    states.delete(run);
  }
  try {
    if (isRejected === 1) failed(run, value);
    else finish(run, state, value);
  } catch (error) {
    failed(run, error);
  }
  if (state !== undefined) leave(state);
};
const isMemory = (error) => error instanceof InternalError && error.message === 'out of memory';

const setScript = (made, text) => {
  const given = JSON.parse(text);
  script = made(factories, deepFrozen(given.constants));
  hasVariables = given.hasVariables;
  mentions = given.mentions;
  hasMaps = mentions.attributes || mentions.session;
  keepsStates = hasMaps || mentions.contexts;
  globals = given.globals;
};
const arrived = (call, status, id) => {
  const found = take(call);
  if (found[3] !== null) load(found[3]);
  found[1](new Response(SECRET, [found[0], id, null, null, status, null]));
};
const content = (call, given) => take(call)[1](typeof given === 'string' ? plain(given) : given);
const refused = (call, text) => take(call)[2](new TypeError(plain(text)));
const forget = (run) => {
  if (passed !== null) keep();
  states.delete(run);
  for (const [call, { 0: owner }] of pending) if (owner === run) pending.delete(call);
};
const take = (call) => {
  if (passed !== null) keep();
  const found = pending.get(call);
  pending.delete(call);
  return found;
};
`;
