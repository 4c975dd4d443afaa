import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../contract/document/lenient-parts.ts';

/** A step of the way that requests take through a route. */
export interface PictureStep {
  readonly kind: 'filter' | 'handler';
  /** Type of the object; null for one that is declared elsewhere. */
  readonly type: string | null;
  /** Name of the object; null for an inline object without one. */
  readonly name: string | null;
  /** Name that the gateway has for the object, given or made from its place. */
  readonly object: string;
  /** Names of the Backends that it sends requests to. */
  readonly backends: readonly string[];
  /** Settings in short: name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Ways from here, of which a request takes one or several. */
  readonly branches: readonly PictureBranch[];
}

/** A way that only some requests take. */
export interface PictureBranch {
  /** Such as `if`, `otherwise` or `on failure`. */
  readonly label: string;
  /** Expression that decides; null for none. */
  readonly condition: string | null;
  readonly steps: readonly PictureStep[];
}

/** Documents may refer to objects in a circle, which the gateway reports; a picture ends there. */
const DEEPEST = 24;
const MOST_FACTS = 6;
const LONGEST_FACT = 120;

/** Returns the steps of a route, from its document: filters in their order, down to handlers. */
export function pictureOf(document: JsonObject): readonly PictureStep[] {
  const heap = new Map<string, PlacedObject>();
  for (const [at, object] of listOf(document['heap']).entries()) {
    if (isJsonObject(object) && typeof object['name'] === 'string')
      heap.set(object['name'], { object, path: ['heap', at] });
  }
  const base = typeof document['baseURI'] === 'string' ? [['baseURI', document['baseURI']] as const] : [];
  const steps = handlerSteps(document['handler'], { heap, depth: 0, path: ['handler'] });
  const last = steps.at(-1);
  if (base.length === 0 || last === undefined) return steps;
  return [...steps.slice(0, -1), { ...last, facts: [...base, ...last.facts] }];
}

interface PlacedObject {
  readonly object: JsonObject;
  readonly path: Path;
}

type Path = readonly (string | number)[];

interface Around {
  readonly heap: ReadonlyMap<string, PlacedObject>;
  readonly depth: number;
  /** Place of the value in the document. */
  readonly path: Path;
}

/** The surroundings of a field of an object's configuration. */
function at({ path, ...around }: Around, ...field: Path): Around {
  return { ...around, path: [...path, 'config', ...field] };
}

function handlerSteps(value: JsonValue | undefined, around: Around): readonly PictureStep[] {
  const found = declared(value, around);
  if (found === null) return [];
  const { object, type, inside, config } = found;
  if (object === null) return [shared('handler', found.name)];
  if (type === 'Chain') {
    const filters = filtersIn(config, inside);
    return [...filters, ...withDecorations(handlerSteps(config['handler'], at(inside, 'handler')), object)];
  }
  if (type === 'DispatchHandler' || type === 'SequenceHandler') {
    const bindings = listOf(config['bindings']).filter(isJsonObject);
    const branches = bindings.map((binding, index) => ({
      ...labelled(binding['condition'], type === 'SequenceHandler' ? `step ${index + 1}` : 'otherwise'),
      steps: withDecorations(handlerSteps(binding['handler'], at(inside, 'bindings', index, 'handler')), binding),
    }));
    return [{ ...stepOf('handler', found, ['bindings']), branches }];
  }
  return [stepOf('handler', found, [])];
}

function filterSteps(value: JsonValue | undefined, around: Around): readonly PictureStep[] {
  const found = declared(value, around);
  if (found === null) return [];
  const { object, type, inside, config } = found;
  if (object === null) return [shared('filter', found.name)];
  if (type === 'ChainOfFilters') return filtersIn(config, inside);
  if (type === 'ConditionalFilter') {
    const branch = {
      ...labelled(config['condition'], 'always'),
      steps: filterSteps(config['delegate'], at(inside, 'delegate')),
    };
    return [{ ...stepOf('filter', found, ['condition', 'delegate']), branches: [branch] }];
  }
  if (type === 'SwitchFilter') {
    const cases = ['onRequest', 'onResponse'].flatMap((when) =>
      listOf(config[when])
        .filter(isJsonObject)
        .map((one, index) => ({
          ...labelled(one['condition'], 'always'),
          steps: handlerSteps(one['handler'], at(inside, when, index, 'handler')),
        })),
    );
    return [{ ...stepOf('filter', found, ['onRequest', 'onResponse']), branches: cases }];
  }
  const failure = ['failureHandler', 'loginHandler', 'defaultLoginEndpoint'].flatMap((field) => {
    const steps = handlerSteps(config[field], at(inside, field));
    return steps.length === 0 ? [] : [{ label: FAILURES[field] ?? field, condition: null, steps }];
  });
  return [{ ...stepOf('filter', found, Object.keys(FAILURES)), branches: failure }];
}

function filtersIn({ filters }: JsonObject, inside: Around): readonly PictureStep[] {
  return listOf(filters).flatMap((filter, index) => filterSteps(filter, at(inside, 'filters', index)));
}

const FAILURES: Readonly<Record<string, string>> = { failureHandler: 'otherwise', loginHandler: 'to log in' };

interface Declared {
  /** Null for a name that the route does not declare. */
  readonly object: JsonObject | null;
  readonly name: string | null;
  readonly type: string;
  readonly config: JsonObject;
  readonly inside: Around;
}

/** Follows a reference or takes an inline declaration. */
function declared(value: JsonValue | undefined, { heap, depth, path }: Around): Declared | null {
  if (depth > DEEPEST) return null;
  if (typeof value === 'string') {
    const { object = null, path: place = path } = heap.get(value) ?? {};
    const inside = { heap, depth: depth + 1, path: place };
    return { object, name: value, type: textOf(object?.['type']), config: objectOf(object?.['config']), inside };
  }
  const inside = { heap, depth: depth + 1, path };
  if (!isJsonObject(value)) return null;
  const name = typeof value['name'] === 'string' ? value['name'] : null;
  return { object: value, name, type: textOf(value['type']), config: objectOf(value['config']), inside };
}

function shared(kind: PictureStep['kind'], name: string | null): PictureStep {
  return { kind, type: null, name, object: name ?? '', backends: [], facts: [], branches: [] };
}

function stepOf(
  kind: PictureStep['kind'],
  { object, type, name, config, inside }: Declared,
  hidden: readonly string[],
): PictureStep {
  const decorations = Object.entries(object ?? {}).filter(
    ([field]) => !['name', 'type', 'config', 'comment'].includes(field),
  );
  const settings = Object.entries(config).filter(([field]) => field !== 'comment' && !hidden.includes(field));
  const facts = [...decorations, ...settings].map(([field, value]) => [field, factText(value)] as const);
  const shown = facts.length > MOST_FACTS ? facts.slice(0, MOST_FACTS - 1) : facts;
  const more = facts.length - shown.length;
  return {
    kind,
    type: type === '' ? null : type,
    name,
    object: objectName(name, type, inside.path),
    backends: backendsOf(config['backends'], inside.path),
    facts: more === 0 ? shown : [...shown, ['…', `${more} more`]],
    branches: [],
  };
}

/** An object without a name is named by its type and place, as in metrics. */
function objectName(name: string | null, type: string, path: Path): string {
  return name ?? `{${type}}/${path.join('/')}`;
}

function backendsOf(value: JsonValue | undefined, path: Path): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isJsonObject(value)) return [];
  const name = typeof value['name'] === 'string' ? value['name'] : null;
  return [objectName(name, textOf(value['type']), [...path, 'config', 'backends'])];
}

function withDecorations(steps: readonly PictureStep[], { baseURI }: JsonObject): readonly PictureStep[] {
  const last = steps.at(-1);
  if (typeof baseURI !== 'string' || last === undefined) return steps;
  return [...steps.slice(0, -1), { ...last, facts: [['baseURI', baseURI], ...last.facts] }];
}

function labelled(condition: JsonValue | undefined, otherwise: string): Pick<PictureBranch, 'label' | 'condition'> {
  return typeof condition === 'string' ? { label: 'if', condition } : { label: otherwise, condition: null };
}

function factText(value: JsonValue): string {
  const text =
    typeof value === 'string'
      ? value
      : isJsonObject(value) && typeof value['type'] === 'string'
        ? value['type']
        : JSON.stringify(value);
  return text.length > LONGEST_FACT ? `${text.slice(0, LONGEST_FACT - 1)}…` : text;
}
