import { unescapedStep } from '../../../contract/crest/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import { type Path, ValueProblem } from '../../../contract/problem.ts';

/** Something that is wrong with a schema or an event, with the path to it. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Longest schema, as compact JSON. */
const LONGEST_SCHEMA = 65_536;
/** Deepest nesting of a schema, and of an event. */
const DEEPEST = 32;
/** Most values of an event. */
const MOST_VALUES = 2000;
/** Longest event, as compact JSON. */
const LONGEST_EVENT = 65_536;
/** Most subschemas that one value of an event may meet, on all ways that lead to it. */
const MOST_STEPS = 5000;
/** Steps that comparing all items of a list with each other counts for: an event may have a list of nearly MOST_VALUES. */
const UNIQUE_STEPS = 800;
/** Deepest place of an event up to which steps are counted; deeper ones meet the same schemas again. */
const COUNTED_DEPTH = 12;

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
/** A schema inside another one, and whether it is for values inside. */
type Subschema = readonly [schema: JsonValue, isInside: boolean];
/** Keywords with one schema for the same value. */
const SAME = ['not', 'if', 'then', 'else'];
/** Keywords with several schemas for the same value. */
const SAME_LIST = ['allOf', 'anyOf', 'oneOf'];
/** Keywords with schemas by name for the same value. */
const SAME_MAP = ['dependentSchemas', 'dependencies'];
/** Keywords with one schema, or a list of them, for values inside. */
const INSIDE = [
  ...['items', 'additionalItems', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];
const INSIDE_MAP = ['properties', 'patternProperties'];

/** Finds what would make a schema too expensive to compile or to apply. */
export function schemaFaults(schema: JsonObject): Fault[] {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA) {
    return [{ path: [], message: `must have at most ${LONGEST_SCHEMA} characters as JSON` }];
  }
  const faults: Fault[] = [];
  walk(schema, [], faults);
  if (faults.length > 0) return faults;
  try {
    new StepCount(schema).check();
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return [{ path: [], message: error.message }];
  }
  return [];
}

function walk(value: JsonValue, path: Path, faults: Fault[]): void {
  if (path.length > DEEPEST * 2) {
    faults.push({ path, message: `is nested more than ${DEEPEST * 2} levels deep` });
    return;
  }
  if (Array.isArray(value)) {
    for (const [at, item] of (value as readonly JsonValue[]).entries()) walk(item, [...path, at], faults);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    if (REFERENCES.includes(name) && typeof member === 'string' && !member.startsWith('#')) {
      faults.push({ path: at, message: "must begin with '#': a schema cannot refer to other documents" });
    }
    if (name === '$id' && typeof member === 'string' && path.length > 0) {
      faults.push({
        path: at,
        message: 'is only allowed at the beginning: references are relative to the whole schema',
      });
    }
    if (name === '$async' && typeof member === 'boolean') faults.push({ path: at, message: 'is not supported' });
    if (name === 'pattern' && typeof member === 'string') judgePattern(member, at, faults);
    if (name === 'patternProperties' && isJsonObject(member)) {
      for (const source of Object.keys(member)) judgePattern(source, [...at, source], faults);
    }
    walk(member, at, faults);
  }
}

function judgePattern(source: string, path: Path, faults: Fault[]): void {
  try {
    compilePattern(source, 'linear');
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    faults.push({ path, message: error.message });
  }
}

class TooManySteps extends Error {}

/** Counts the subschemas that values of an event meet, which references can multiply without end. */
class StepCount {
  private readonly root: JsonObject;
  private readonly known = new Map<JsonValue, number[]>();

  constructor(root: JsonObject) {
    this.root = root;
  }

  check(): void {
    this.steps(this.root, COUNTED_DEPTH);
  }

  private steps(schema: JsonValue, depth: number): number {
    if (!isJsonObject(schema) || depth === 0) return 1;
    const counts = this.known.get(schema) ?? [];
    this.known.set(schema, counts);
    const known = counts[depth];
    if (known === -1) throw new TooManySteps('refers to itself for the same value, without end');
    if (known !== undefined) return known;
    counts[depth] = -1;
    let steps = 1 + ownSteps(schema);
    for (const [inner, isInside] of this.subschemas(schema)) {
      steps += this.steps(inner, isInside ? depth - 1 : depth);
      if (steps > MOST_STEPS) break;
    }
    if (steps > MOST_STEPS) {
      const message = `is too expensive: one event can meet more than ${MOST_STEPS} subschemas`;
      throw new TooManySteps(
        `${message}, of which uniqueItems counts as ${UNIQUE_STEPS} and each value of an enum as one`,
      );
    }
    counts[depth] = steps;
    return steps;
  }

  private *subschemas(schema: JsonObject): Generator<Subschema> {
    for (const name of REFERENCES) {
      const target = schema[name];
      if (typeof target !== 'string') continue;
      const found = this.target(target);
      if (found === undefined) throw new TooManySteps(`has a reference that leads nowhere: there is no '${target}'`);
      yield [found, false];
    }
    for (const name of SAME) if (schema[name] !== undefined) yield [schema[name], false];
    for (const name of SAME_LIST) yield* listed(schema[name], false);
    for (const name of SAME_MAP) yield* mapped(schema[name], false);
    for (const name of INSIDE) {
      const inner = schema[name];
      if (Array.isArray(inner)) yield* listed(inner as JsonValue, true);
      else if (inner !== undefined) yield [inner, true];
    }
    for (const name of INSIDE_MAP) yield* mapped(schema[name], true);
  }

  /** What a local reference leads to: a pointer, or an anchor. */
  private target(reference: string): JsonValue | undefined {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return anchored(this.root, reference.slice(1));
    let here: JsonValue | undefined = this.root;
    for (const step of reference.slice(2).split('/')) {
      const name = pointerStep(step);
      if (Array.isArray(here)) here = (here as readonly JsonValue[])[Number(name)];
      else here = isJsonObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
    }
    return here;
  }
}

/** Steps of keywords that are expensive by themselves. */
function ownSteps({ uniqueItems, enum: values }: JsonObject): number {
  return (uniqueItems === true ? UNIQUE_STEPS : 0) + (Array.isArray(values) ? values.length : 0);
}

function pointerStep(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // as it is
  }
  return unescapedStep(decoded);
}

function anchored(value: JsonValue, name: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      const found = anchored(item, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const names = [value['$anchor'], value['$dynamicAnchor'], value['$id'], value['id']];
  if (names.some((one) => one === name || one === `#${name}`)) return value;
  for (const member of Object.values(value)) {
    const found = anchored(member, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* listed(value: JsonValue | undefined, isInside: boolean): Generator<Subschema> {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) yield [item, isInside];
}

function* mapped(value: JsonValue | undefined, isInside: boolean): Generator<Subschema> {
  if (isJsonObject(value)) for (const item of Object.values(value)) yield [item, isInside];
}

/** Says why an event is larger than events may be; null for one that is not. */
export function eventFault(event: JsonObject): Fault | null {
  let values = 0;
  const fault = (value: JsonValue, path: Path): Fault | null => {
    if (++values > MOST_VALUES) return { path: [], message: `must have at most ${MOST_VALUES} values` };
    if (typeof value !== 'object' || value === null) return null;
    if (path.length >= DEEPEST) return { path, message: `is nested more than ${DEEPEST} levels deep` };
    for (const [name, member] of Object.entries(value)) {
      const found = fault(member as JsonValue, [...path, Array.isArray(value) ? Number(name) : name]);
      if (found !== null) return found;
    }
    return null;
  };
  const found = fault(event, []);
  if (found !== null) return found;
  const { length } = JSON.stringify(event);
  return length <= LONGEST_EVENT
    ? null
    : { path: [], message: `must have at most ${LONGEST_EVENT} characters as JSON` };
}
