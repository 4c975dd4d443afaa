import { unescapedStep } from '../../../contract/crest/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import { type Path, ValueProblem } from '../../../contract/problem.ts';
import { INSIDE, INSIDE_MAP, innerSchemas, REFERENCES, SAME, SAME_LIST, SAME_MAP } from './schema-keywords.ts';

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

/** A schema inside another one, and whether it is for values inside. */
type Subschema = readonly [schema: JsonValue, isInside: boolean];

/** Finds what would make a schema too expensive to compile or to apply. */
export function schemaFaults(schema: JsonObject): Fault[] {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA) {
    return [{ path: [], message: `must have at most ${LONGEST_SCHEMA} characters as JSON` }];
  }
  const deep = tooDeep(schema, []);
  if (deep !== null) return [deep];
  const faults: Fault[] = [];
  const known: KnownSchemas = { all: new Set(), anchors: new Map() };
  walk(schema, [], known, faults);
  if (faults.length > 0) return faults;
  try {
    new StepCount(schema, known).check();
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return [{ path: [], message: error.message }];
  }
  return [];
}

/** Objects of a document that are schemas, and those of them that have a name. */
interface KnownSchemas {
  readonly all: Set<JsonValue>;
  readonly anchors: Map<string, JsonObject>;
}

function tooDeep(value: JsonValue, path: Path): Fault | null {
  if (typeof value !== 'object' || value === null) return null;
  if (path.length > DEEPEST * 2) return { path, message: `is nested more than ${DEEPEST * 2} levels deep` };
  for (const [name, member] of Object.entries(value)) {
    const fault = tooDeep(member as JsonValue, [...path, name]);
    if (fault !== null) return fault;
  }
  return null;
}

function walk(schema: JsonObject, path: Path, known: KnownSchemas, faults: Fault[]): void {
  known.all.add(schema);
  for (const name of REFERENCES) {
    const member = schema[name];
    if (typeof member !== 'string' || member.startsWith('#')) continue;
    const message = "must begin with '#': a schema cannot refer to other documents";
    faults.push({ path: [...path, name], message });
  }
  const { $id, $async, pattern, patternProperties } = schema;
  if (typeof $id === 'string' && path.length > 0) {
    const message = 'is only allowed at the beginning: references are relative to the whole schema';
    faults.push({ path: [...path, '$id'], message });
  }
  if (typeof $async === 'boolean') faults.push({ path: [...path, '$async'], message: 'is not supported' });
  if (typeof pattern === 'string') judgePattern(pattern, [...path, 'pattern'], faults);
  if (isJsonObject(patternProperties)) {
    for (const source of Object.keys(patternProperties)) {
      judgePattern(source, [...path, 'patternProperties', source], faults);
    }
  }
  for (const anchor of anchorsOf(schema)) {
    const other = known.anchors.get(anchor);
    if (other !== undefined && other !== schema) {
      faults.push({ path, message: `has the anchor '${anchor}', which another schema has, too` });
    }
    known.anchors.set(anchor, schema);
  }
  for (const [inside, inner] of innerSchemas(schema)) walk(inner, [...path, ...inside], known, faults);
}

function anchorsOf({ $anchor, $dynamicAnchor, $id, id }: JsonObject): Set<string> {
  const named = [$anchor, $dynamicAnchor].filter((one) => typeof one === 'string');
  const old = [$id, id].flatMap((one) => (typeof one === 'string' && one.startsWith('#') ? one.slice(1) : []));
  return new Set([...named, ...old]);
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
  private readonly schemas: KnownSchemas;
  private readonly known = new Map<JsonValue, number[]>();

  constructor(root: JsonObject, schemas: KnownSchemas) {
    this.root = root;
    this.schemas = schemas;
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
      // its patterns and costs would be those of data, which nobody looked at
      if (isJsonObject(found) && !this.schemas.all.has(found)) {
        throw new TooManySteps(`has a reference to data: '${target}' is no schema`);
      }
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
    if (!reference.startsWith('#/')) return this.schemas.anchors.get(reference.slice(1));
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
