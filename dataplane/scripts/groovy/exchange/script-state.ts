import type { Shapes } from '../../../../contract/expression/language.ts';
import { type Value as ExpressionValue, isPlainObject } from '../../../../contract/expression/value.ts';
import type { Exchange } from '../../../engine/message/exchange.ts';
import { ScriptFault } from '../../script-language.ts';
import { GMap } from '../values/collections.ts';
import { HASH_MAP } from '../values/core-classes.ts';
import type { Runtime, Value } from '../values/java-class.ts';
import { gatewayValue, OPAQUE, scriptValue } from './script-values.ts';

/** An attribute that only scripts of one tenant can use: through a closure they reach everything that its script has. */
interface Opaque {
  readonly realm: string;
  readonly value: Value;
}

/** Attributes that only scripts can use, such as closures. They last as long as the exchange. */
const opaqueAttributes = new WeakMap<Exchange, Map<string, Opaque>>();

interface Known {
  readonly script: Value;
  readonly gateway: unknown;
}

/** Attributes and session of an exchange as maps of a script, written back where the script changed them. */
export class ScriptState {
  #attributes: GMap | null = null;
  #session: GMap | null = null;
  readonly #exchange: Exchange;
  readonly #shapes: Shapes;
  readonly #realm: string;
  #knownAttributes: Map<string, Known> | null = null;
  #knownSession: Map<string, Known> | null = null;

  constructor(exchange: Exchange, shapes: Shapes, realm: string) {
    this.#realm = realm;
    this.#exchange = exchange;
    this.#shapes = shapes;
  }

  /** Attributes, made when a script asks for them. */
  attributes(rt: Runtime): GMap {
    if (this.#attributes === null) {
      this.#attributes = new GMap(HASH_MAP, 'hash');
      this.#loadAttributes(rt, this.#attributes);
    }
    return this.#attributes;
  }

  /** The session, likewise: reading it opens its cookie. */
  session(rt: Runtime): GMap {
    if (this.#session === null) {
      this.#session = new GMap();
      this.#loadSession(rt, this.#session);
    }
    return this.#session;
  }

  /** Takes over changes of others in what the script has asked for. */
  load(rt: Runtime): void {
    if (this.#attributes !== null) this.#loadAttributes(rt, this.#attributes);
    if (this.#session !== null) this.#loadSession(rt, this.#session);
  }

  #loadAttributes(rt: Runtime, map: GMap): void {
    this.#knownAttributes ??= new Map();
    this.#fill(rt, map, this.#knownAttributes, this.#exchange.attributes);
    for (const [name, { realm, value }] of opaqueAttributes.get(this.#exchange) ?? [])
      if (realm === this.#realm) map.put(name, value);
  }

  #loadSession(rt: Runtime, map: GMap): void {
    const { session } = this.#exchange;
    if (session === null) return;
    const values = session.names().map((name): [string, unknown] => [name, session.peek(name)]);
    this.#knownSession ??= new Map();
    this.#fill(rt, map, this.#knownSession, values);
  }

  #fill(rt: Runtime, map: GMap, known: Map<string, Known>, values: Iterable<readonly [string, unknown]>): void {
    const gone = new Set(known.keys());
    for (const [name, gateway] of values) {
      gone.delete(name);
      const before = known.get(name);
      if (before !== undefined && before.gateway === gateway) continue;
      const script = scriptValue(rt, gateway, this.#shapes);
      known.set(name, { script, gateway });
      map.put(name, script);
    }
    for (const name of gone) {
      known.delete(name);
      map.delete(name);
    }
  }

  /** Writes back what the script changed. @throws ScriptFault for a value that a session cannot hold */
  store(rt: Runtime): void {
    if (this.#attributes !== null) this.#storeAttributes(rt, this.#attributes);
    if (this.#session !== null) this.#storeSession(rt, this.#session);
  }

  #storeAttributes(rt: Runtime, map: GMap): void {
    const { attributes } = this.#exchange;
    this.#knownAttributes ??= new Map();
    this.#write(rt, map, this.#knownAttributes, {
      set: (name, value, script) => {
        opaqueAttributes.get(this.#exchange)?.delete(name);
        if (value === OPAQUE) this.#keepOpaque(name, script);
        else attributes.set(name, value);
      },
      delete: (name) => attributes.delete(name),
    });
  }

  #storeSession(rt: Runtime, map: GMap): void {
    const { session } = this.#exchange;
    this.#knownSession ??= new Map();
    this.#write(rt, map, this.#knownSession, {
      set: (name, value) => {
        if (session === null) throw new ScriptFault(`session.${name} cannot be set: the route has no session`);
        if (value === OPAQUE) throw new ScriptFault(`session.${name} has no JSON form`);
        session.set(name, value as ExpressionValue);
      },
      delete: (name) => session?.delete(name),
    });
  }

  #keepOpaque(name: string, value: Value): void {
    const kept = opaqueAttributes.get(this.#exchange) ?? new Map<string, Opaque>();
    opaqueAttributes.set(this.#exchange, kept.set(name, { realm: this.#realm, value }));
    this.#exchange.attributes.delete(name);
  }

  #write(
    rt: Runtime,
    map: GMap,
    known: Map<string, Known>,
    target: { set(name: string, value: unknown, script: Value): void; delete(name: string): void },
  ): void {
    const gone = new Set(known.keys());
    for (const { entryKey, value: script } of map.entries()) {
      const name = rt.text(entryKey);
      gone.delete(name);
      const before = known.get(name);
      if (before !== undefined && before.script === script && !mayHaveChanged(before)) continue;
      const gateway = gatewayValue(rt, script);
      target.set(name, gateway, script);
      known.set(name, { script, gateway });
    }
    for (const name of gone) {
      target.delete(name);
      known.delete(name);
    }
  }
}

/** Lists and maps can change in place; objects of the gateway are not written over with a copy of their properties. */
function mayHaveChanged({ gateway }: Known): boolean {
  return Array.isArray(gateway) || gateway instanceof Map || isPlainObject((gateway ?? null) as ExpressionValue);
}
