import type { Shapes } from '../../../../contract/expression/language.ts';
import type { Exchange } from '../../../engine/message/exchange.ts';
import { clock } from '../../../engine/wire/clock.ts';
import { CLIENT_PROPERTIES, ROUTER_PROPERTIES } from '../../context-properties.ts';
import type { LateContexts, ScriptContext } from '../gateway-script.ts';
import type { ContextFields } from '../library/gateway/contexts.ts';
import type { GMap } from '../values/collections.ts';
import type { Runtime, Value } from '../values/java-class.ts';
import type { ScriptState } from './script-state.ts';
import { scriptValue } from './script-values.ts';

/** Properties that are made when a script asks for them. */
class LazyFields implements ContextFields {
  readonly #read: (name: string) => Value | undefined;
  #known: Map<string, Value | undefined> | null = null;

  constructor(read: (name: string) => Value | undefined) {
    this.#read = read;
  }

  get(name: string): Value | undefined {
    this.#known ??= new Map();
    if (!this.#known.has(name)) this.#known.set(name, this.#read(name));
    return this.#known.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

function reading<N extends string>(
  rt: Runtime,
  names: readonly N[],
  shapes: Shapes,
  read: (name: N) => unknown,
): LazyFields {
  return new LazyFields((name) => (names.includes(name as N) ? scriptValue(rt, read(name as N), shapes) : undefined));
}

/** The contexts of an exchange for a script. */
export function scriptContexts(exchange: Exchange, state: ScriptState, shapes: Shapes): LateContexts {
  return {
    leaf: { name: 'router', fields: (rt) => reading(rt, ROUTER_PROPERTIES, shapes, (name) => exchange.router[name]) },
    above: () => contextsAbove(exchange, state, shapes),
  };
}

const OURS: readonly string[] = ['attributes', 'client', 'router', 'session', 'requestAudit', 'transactionId'];

/** From the root on. */
function contextsAbove(exchange: Exchange, state: ScriptState, shapes: Shapes): ScriptContext[] {
  const others = exchange.contextNames.filter((name) => !OURS.includes(name));
  return [
    { name: 'root', fields: (rt) => reading(rt, ['id'], shapes, () => exchange.transactionId) },
    { name: 'session', fields: (rt) => new LazyFields((name) => (name === 'session' ? state.session(rt) : undefined)) },
    {
      name: 'attributes',
      fields: (rt) => new LazyFields((name) => (name === 'attributes' ? state.attributes(rt) : undefined)),
    },
    { name: 'client', fields: (rt) => clientFields(rt, exchange, shapes) },
    { name: 'transactionId', fields: (rt) => transactionFields(rt, exchange, shapes) },
    { name: 'requestAudit', fields: () => auditFields(exchange) },
    ...others.map((name) => ({
      name,
      fields: (rt: Runtime) => contextFields(rt, exchange.context(name), shapes),
    })),
  ];
}

function clientFields(rt: Runtime, exchange: Exchange, shapes: Shapes): ContextFields {
  const plain = reading(rt, CLIENT_PROPERTIES, shapes, (name) => exchange.client[name]);
  return new LazyFields((name) => {
    if (name === 'secure') return exchange.client.isSecure;
    return name === 'external' ? exchange.client.isExternal : plain.get(name);
  });
}

function transactionFields(rt: Runtime, exchange: Exchange, shapes: Shapes): ContextFields {
  return reading(rt, ['transactionId'], shapes, () => ({ value: exchange.transactionId }));
}

/** The user in the access event, which a script can set, and the time at which the request came. */
function auditFields(exchange: Exchange): ContextFields {
  const get = (name: string): Value | undefined => {
    if (name === 'userId') return exchange.identity?.user ?? null;
    return name === 'requestReceivedTime'
      ? BigInt(Math.floor(clock.wall - (clock.now - exchange.startedAt)))
      : undefined;
  };
  return {
    get,
    has: (name) => get(name) !== undefined,
    set: (_name, user) => {
      exchange.identity = { user: typeof user === 'string' ? user : null };
    },
  };
}

/** A context that a filter set: the properties that expressions see of it. */
function contextFields(rt: Runtime, context: unknown, shapes: Shapes): ContextFields {
  let fields: Value | undefined;
  return new LazyFields((name) => {
    fields ??= scriptValue(rt, context, shapes);
    const map = fields as GMap | null;
    return map !== null && typeof map === 'object' && 'entries' in map ? map.get(name) : undefined;
  });
}
