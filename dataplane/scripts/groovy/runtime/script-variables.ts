import { GMap } from '../values/collections.ts';
import { BINDING } from '../values/core-classes.ts';
import type { JavaClass, Obj, Value } from '../values/java-class.ts';

/** Variables that are made when a script asks for them. */
export interface GivenVariables {
  /** In the order in which scripts see them. */
  readonly names: readonly string[];
  /** The value of one of the names. */
  make(name: string): Value;
}

/** Variables of a script without `def`: those of the gateway, and those that it sets. Scripts see them as a Binding. */
export class ScriptVariables implements Obj {
  readonly javaClass: JavaClass = BINDING;
  /** Variables that the script set, or all of them; null as long as there are none. */
  #known: GMap | null;
  #given: GivenVariables | null = null;
  /** Values of the gateway, by the place of their names: few scripts set variables, and need a map. */
  #made: (Value | undefined)[] = [];

  constructor(known: GMap | null) {
    this.#known = known;
  }

  give(variables: GivenVariables): void {
    this.#given = variables;
  }

  /** All of them, as a map of the script. */
  all(): GMap {
    const known = this.#known ?? new GMap();
    const given = this.#given;
    this.#known = known;
    if (given === null) return known;
    const all = new GMap(known.javaClass, known.order);
    for (const name of given.names) all.put(name, known.has(name) ? known.get(name)! : this.#givenValue(given, name)!);
    for (const { entryKey, value } of known.entries()) all.put(entryKey, value);
    this.#given = null;
    this.#made = [];
    this.#known = all;
    return all;
  }

  get(name: string): Value | undefined {
    const known = this.#known?.get(name);
    return known !== undefined || this.#given === null ? known : this.#givenValue(this.#given, name);
  }

  #givenValue(given: GivenVariables, name: string): Value | undefined {
    const at = given.names.indexOf(name);
    if (at < 0) return undefined;
    const made = this.#made[at];
    if (made !== undefined) return made;
    const value = given.make(name);
    this.#made[at] = value;
    return value;
  }

  /** @returns false if the variables cannot be changed */
  set(name: string, value: Value): boolean {
    this.#known ??= new GMap();
    if (this.#known.isFixed) return false;
    this.#known.put(name, value);
    return true;
  }
}
