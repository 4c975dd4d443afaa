import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../contract/document/lenient-parts.ts';

/** A step of the way that requests take through a route. */
export interface PictureStep {
  readonly kind: 'filter' | 'handler';
  /** Type of the object; null for one that is declared elsewhere. */
  readonly type: string | null;
  /** Name of the object; null for an inline object without one. */
  readonly name: string | null;
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
  const heap = new Map<string, JsonObject>();
  for (const object of listOf(document['heap'])) {
    if (isJsonObject(object) && typeof object['name'] === 'string') heap.set(object['name'], object);
  }
  const base = typeof document['baseURI'] === 'string' ? [['baseURI', document['baseURI']] as const] : [];
  const steps = handlerSteps(document['handler'], { heap, depth: 0 });
  const last = steps.at(-1);
  if (base.length === 0 || last === undefined) return steps;
  return [...steps.slice(0, -1), { ...last, facts: [...base, ...last.facts] }];
}

interface Around {
  readonly heap: ReadonlyMap<string, JsonObject>;
  readonly depth: number;
}

function handlerSteps(value: JsonValue | undefined, around: Around): readonly PictureStep[] {
  const found = declared(value, around);
  if (found === null) return [];
  const { object, type, inside, config } = found;
  if (object === null) return [shared('handler', found.name)];
  if (type === 'Chain') {
    const filters = listOf(config['filters']).flatMap((filter) => filterSteps(filter, inside));
    return [...filters, ...withDecorations(handlerSteps(config['handler'], inside), object)];
  }
  if (type === 'DispatchHandler' || type === 'SequenceHandler') {
    const bindings = listOf(config['bindings']).filter(isJsonObject);
    const branches = bindings.map((binding, at) => ({
      ...labelled(binding['condition'], type === 'SequenceHandler' ? `step ${at + 1}` : 'otherwise'),
      steps: withDecorations(handlerSteps(binding['handler'], inside), binding),
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
  if (type === 'ChainOfFilters') return listOf(config['filters']).flatMap((filter) => filterSteps(filter, inside));
  if (type === 'ConditionalFilter') {
    const branch = { ...labelled(config['condition'], 'always'), steps: filterSteps(config['delegate'], inside) };
    return [{ ...stepOf('filter', found, ['condition', 'delegate']), branches: [branch] }];
  }
  if (type === 'SwitchFilter') {
    const cases = ['onRequest', 'onResponse'].flatMap((when) =>
      listOf(config[when])
        .filter(isJsonObject)
        .map((one) => ({ ...labelled(one['condition'], 'always'), steps: handlerSteps(one['handler'], inside) })),
    );
    return [{ ...stepOf('filter', found, ['onRequest', 'onResponse']), branches: cases }];
  }
  const failure = ['failureHandler', 'loginHandler', 'defaultLoginEndpoint'].flatMap((field) => {
    const steps = handlerSteps(config[field], inside);
    return steps.length === 0 ? [] : [{ label: FAILURES[field] ?? field, condition: null, steps }];
  });
  return [{ ...stepOf('filter', found, Object.keys(FAILURES)), branches: failure }];
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
function declared(value: JsonValue | undefined, { heap, depth }: Around): Declared | null {
  if (depth > DEEPEST) return null;
  const inside = { heap, depth: depth + 1 };
  if (typeof value === 'string') {
    const object = heap.get(value) ?? null;
    const config = objectOf(object?.['config']);
    return { object, name: value, type: textOf(object?.['type']), config, inside };
  }
  if (!isJsonObject(value)) return null;
  const name = typeof value['name'] === 'string' ? value['name'] : null;
  return { object: value, name, type: textOf(value['type']), config: objectOf(value['config']), inside };
}

function shared(kind: PictureStep['kind'], name: string | null): PictureStep {
  return { kind, type: null, name, facts: [], branches: [] };
}

function stepOf(
  kind: PictureStep['kind'],
  { object, type, name, config }: Declared,
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
    facts: more === 0 ? shown : [...shown, ['…', `${more} more`]],
    branches: [],
  };
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
