import { type Path, type Problem, ValueProblem } from '../problem.ts';
import { DocumentBounds } from './document-bounds.ts';
import { flatTokens } from './flat-tokens.ts';
import { isJsonObject, type JsonObject, type JsonValue, kindOf, setMember } from './json-value.ts';
import { readLocation } from './property-location.ts';
import type { PropertySet } from './property-set.ts';
import { type TokenSources, tokenResolver } from './token-resolver.ts';
import { substituteTokens } from './tokens.ts';
import { applyTransformations } from './transformations.ts';

/** Context for reading the properties of a document. */
export interface PropertyContext {
  /** The properties of the document around it. */
  readonly parent: PropertySet | null;
  readonly sources: TokenSources;
  /** Where in the document they are; `properties` unless said otherwise. */
  readonly path?: Path;
  /** Evaluates a text with a configuration expression, to which earlier properties are constants. @throws ValueProblem. */
  evaluate(text: string, constants: ReadonlyMap<string, JsonValue>): JsonValue;
}

const LOCATION = '$location';

/**
 * Reads `properties` of a route, of config.json or of admin.json. They are evaluated in the order in which an object
 * keeps its keys, and each may use the ones before it as tokens and in expressions. In each value files are loaded first
 * (`{"$location": "file"}`, at any depth, and on top for a file that holds properties), then tokens are substituted,
 * transformations applied and expressions evaluated.
 */
export function readProperties(
  raw: JsonValue | undefined,
  context: PropertyContext,
  report: (problem: Problem) => void,
): PropertySet {
  const top = context.path ?? ['properties'];
  const set = new GrowingPropertySet(context.parent);
  const tokens = tokenResolver(set, context.sources);
  const bounds = new DocumentBounds();
  let excess: Problem | null = null;
  if (isJsonObject(raw)) addAll(raw, top);
  else if (raw !== undefined && raw !== null) fault('property', top, `must be an object and not ${kindOf(raw)}`);
  return set;

  function addAll(object: JsonObject, path: Path): void {
    for (const [name, value] of Object.entries(object)) {
      if (excess !== null) return;
      if (name !== LOCATION) addOne(name, value, [...path, name]);
      else if (path === top) addFile(value, [...path, name]);
      else fault('property', path, `names a file that has a ${LOCATION} itself`);
    }
  }

  function addFile(location: JsonValue, path: Path): void {
    const content = load(location, path);
    if (isJsonObject(content)) addAll(content, path);
    else if (content !== undefined) fault('property', path, 'names a file that does not hold an object');
  }

  function addOne(name: string, value: JsonValue, path: Path): void {
    const loaded = loadLocations(value, path);
    const evaluated = evaluate(applyTransformations(substitute(loaded, path), report, path), path);
    if (isTooMuch(evaluated, path)) return;
    const clash = set.add(name, evaluated);
    if (clash !== undefined) fault('property', path, `defines the token '${clash}' a second time`);
  }

  /** Of a tenant all properties together are held to what a document may be; those that follow are left out. */
  function isTooMuch(value: JsonValue, path: Path): boolean {
    if (context.sources.reach.origin !== 'tenant') return false;
    excess = bounds.add(value);
    if (excess !== null) report({ ...excess, path: path.slice(0, -1) });
    return excess !== null;
  }

  function substitute(value: JsonValue, path: Path): JsonValue {
    return substituteTokens(value, tokens.resolve, report, path, tokens.names);
  }

  function evaluate(value: JsonValue, path: Path): JsonValue {
    if (typeof value === 'string') return /[$#]\{/.test(value) ? evaluateText(value, path) : value;
    return mapMembers(value, path, evaluate);
  }

  function evaluateText(text: string, path: Path): JsonValue {
    try {
      return context.evaluate(text, set.all());
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      fault(error.code, path, error.message, error.hint);
      return null;
    }
  }

  function loadLocations(value: JsonValue, path: Path): JsonValue {
    if (!isJsonObject(value) || !Object.hasOwn(value, LOCATION)) return mapMembers(value, path, loadLocations);
    if (Object.keys(value).length > 1) {
      fault('property', path, `has ${LOCATION} and other keys`);
      return null;
    }
    return load(value[LOCATION]!, [...path, LOCATION]) ?? null;
  }

  /** Undefined when there is nothing to load, which has been reported. */
  function load(location: JsonValue, path: Path): JsonValue | undefined {
    if (context.sources.reach.origin === 'tenant') {
      return fault('not-allowed', path, 'is not allowed here: a document of a tenant does not read files');
    }
    const file = evaluate(substitute(location, path), path);
    try {
      return readLocation(file, context.sources.reach);
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      return fault(error.code, path, error.message, error.hint);
    }
  }

  function fault(code: Problem['code'], path: Path, message: string, hint?: string): undefined {
    report({ code, severity: 'error', path, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Properties that have their values already. */
export function fixedProperties(values: JsonObject): PropertySet {
  const set = new GrowingPropertySet(null);
  for (const [name, value] of Object.entries(values)) set.add(name, value);
  return set;
}

function mapMembers(value: JsonValue, path: Path, map: (value: JsonValue, path: Path) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => map(item, [...path, index]));
  if (!isJsonObject(value)) return value;
  const result: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) setMember(result, key, map(member, [...path, key]));
  return result;
}

class GrowingPropertySet implements PropertySet {
  readonly parent: PropertySet | null;
  readonly values = new Map<string, JsonValue>();
  readonly tokens = new Map<string, string>();
  /** Kept and added to: making it anew for each property would take the square of their number. */
  private readonly known: Map<string, JsonValue>;

  constructor(parent: PropertySet | null) {
    this.parent = parent;
    this.known = new Map(parent?.all());
  }

  /** Adds a property; the answer is a token that was there already, if any. */
  add(name: string, value: JsonValue): string | undefined {
    let clash: string | undefined;
    this.values.set(name, value);
    this.known.set(name, value);
    for (const [token, text] of flatTokens({ [name]: value })) {
      if (this.tokens.has(token)) clash ??= token;
      this.tokens.set(token, text);
    }
    return clash;
  }

  token(name: string): string | undefined {
    return this.tokens.get(name) ?? this.parent?.token(name);
  }

  tokenNames(): readonly string[] {
    return [...this.tokens.keys(), ...(this.parent?.tokenNames() ?? [])];
  }

  all(): ReadonlyMap<string, JsonValue> {
    return this.known;
  }
}
