import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../../contract/document/lenient-parts.ts';
import type { Path } from '../../../../contract/problem.ts';
import type { ShownField, ShownForm } from '../../../../contract/shown/shown-catalogue.ts';
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { valueAt } from '../forms/pointer.ts';

/** An object that requests pass. */
export interface CanvasStep {
  readonly kind: 'filter' | 'handler';
  /** Place where the document refers to it. */
  readonly path: Path;
  /** Place of its declaration; null if that is not in this document. */
  readonly declaredAt: Path | null;
  readonly object: JsonObject | null;
  /** Empty if it is declared elsewhere. */
  readonly type: string;
  /** Null for an object in place without a name. */
  readonly name: string | null;
  readonly branches: readonly CanvasBranch[];
}

/** A way that only some requests take. */
export interface CanvasBranch {
  /** Name of the field, such as `failureHandler`, or `if` and `otherwise`. */
  readonly label: string;
  readonly condition: string | null;
  readonly sequence: CanvasSequence;
}

/** Filters in their order, and the handler at their end. */
export interface CanvasSequence {
  /** The Chain that the filters belong to; null without one. */
  readonly chain: CanvasStep | null;
  /** List that new filters go into; null if a Chain has to be made first. */
  readonly list: Path | null;
  readonly filters: readonly CanvasStep[];
  /** Place where the document refers to the handler; null for a sequence without one. */
  readonly handlerAt: Path | null;
  /** Null if no handler is given. */
  readonly handler: CanvasStep | null;
}

interface Around {
  readonly document: JsonObject;
  readonly catalogue: Catalogue;
  readonly heap: ReadonlyMap<string, Path>;
  /**
   * Named objects whose branches are in the picture: they are there once, where the first user is. Documents may refer to
   * objects in a circle, and a few that use each other twice are a picture without end.
   */
  readonly shown: Set<string>;
}

/** Returns the way of requests through a route. */
export function routeSteps(document: JsonObject, catalogue: Catalogue): CanvasSequence {
  const heap = new Map<string, Path>();
  for (const [at, object] of listOf(document['heap']).entries())
    if (isJsonObject(object) && typeof object['name'] === 'string') heap.set(object['name'], ['heap', at]);
  return sequenceAt(['handler'], { document, catalogue, heap, shown: new Set() });
}

/** Returns all steps of a sequence, with those of its branches. */
export function allSteps({ chain, filters, handler }: CanvasSequence): CanvasStep[] {
  const own = [...(chain === null ? [] : [chain]), ...filters, ...(handler === null ? [] : [handler])];
  return own.flatMap((step) => [step, ...step.branches.flatMap(({ sequence }) => allSteps(sequence))]);
}

/** The sequence that begins at a reference to a handler. */
function sequenceAt(path: Path, around: Around): CanvasSequence {
  const value = valueAt(around.document, path);
  const nothing = { chain: null, list: null, filters: [], handlerAt: path, handler: null };
  if (value === undefined || value === null) return nothing;
  const found = declared(value, path, around);
  if (found.type !== 'Chain' || found.declaredAt === null || !isFirstUse(value, around)) {
    return { ...nothing, handler: stepAt('handler', path, around) };
  }
  return chainAt(path, found, found.declaredAt, around);
}

function chainAt(path: Path, found: Found, declaredAt: Path, around: Around): CanvasSequence {
  const config = [...declaredAt, 'config'];
  const list = [...config, 'filters'];
  const chain: CanvasStep = { kind: 'handler', path, ...found, branches: [] };
  const handlerAt = [...config, 'handler'];
  return { chain, list, filters: filtersIn(list, around), handlerAt, handler: handlerStep(handlerAt, around) };
}

/** True if the branches of an object are not shown yet. An object in place has one user. */
function isFirstUse(value: JsonValue, { shown }: Around): boolean {
  if (typeof value !== 'string') return true;
  if (shown.has(value)) return false;
  shown.add(value);
  return true;
}

/** A handler at the end of a Chain. Another Chain there is a step with a branch. */
function handlerStep(path: Path, around: Around): CanvasStep | null {
  const value = valueAt(around.document, path);
  return value === undefined || value === null ? null : stepAt('handler', path, around);
}

function filtersIn(list: Path, around: Around): readonly CanvasStep[] {
  const items = listOf(valueAt(around.document, list));
  return items.map((_, at) => stepAt('filter', [...list, at], around));
}

function stepAt(kind: CanvasStep['kind'], path: Path, around: Around): CanvasStep {
  const value = valueAt(around.document, path) ?? null;
  const found = declared(value, path, around);
  return { kind, path, ...found, branches: stepBranches(value, path, found, around) };
}

function stepBranches(value: JsonValue, path: Path, found: Found, around: Around): readonly CanvasBranch[] {
  const type = around.catalogue.find(found.type);
  if (type === null || found.declaredAt === null || !isFirstUse(value, around)) return [];
  if (type.type === 'Chain') {
    return [{ label: 'chain', condition: null, sequence: chainAt(path, found, found.declaredAt, around) }];
  }
  return branchesOf(type.fields, objectOf(found.object?.['config']), [...found.declaredAt, 'config'], around);
}

type Found = Pick<CanvasStep, 'declaredAt' | 'object' | 'type' | 'name'>;

/** Follows a name, or takes a declaration in place. */
function declared(value: JsonValue, path: Path, { document, heap }: Around): Found {
  if (typeof value === 'string') {
    const declaredAt = heap.get(value) ?? null;
    const object = declaredAt === null ? null : objectOf(valueAt(document, declaredAt));
    return { declaredAt, object, type: textOf(object?.['type']), name: value };
  }
  const object = objectOf(value);
  const name = typeof object['name'] === 'string' ? object['name'] : null;
  return { declaredAt: path, object, type: textOf(object['type']), name };
}

/** Every field that refers to filters or handlers is a branch, in the order of the fields. */
function branchesOf(fields: readonly ShownField[], value: JsonObject, path: Path, around: Around): CanvasBranch[] {
  return fields.flatMap(({ name, form }) =>
    Object.hasOwn(value, name) ? branchesIn(form, value[name]!, [...path, name], name, around) : [],
  );
}

function branchesIn(form: ShownForm, value: JsonValue, path: Path, label: string, around: Around): CanvasBranch[] {
  const branch = (sequence: CanvasSequence): CanvasBranch[] => [{ label, condition: null, sequence }];
  if (form.kind === 'reference' && form.to === 'handler') return branch(sequenceAt(path, around));
  if (form.kind === 'reference' && form.to === 'filter')
    return branch(withoutHandler(null, [stepAt('filter', path, around)]));
  if (form.kind === 'object' && isJsonObject(value)) return conditional(form.fields, value, path, label, around);
  if (form.kind !== 'list' || !Array.isArray(value)) return [];
  if (form.item.kind === 'reference' && form.item.to === 'filter')
    return branch(withoutHandler(path, filtersIn(path, around)));
  return listOf(value).flatMap((item, at) => branchesIn(form.item, item, [...path, at], `${label} ${at + 1}`, around));
}

function withoutHandler(list: Path | null, filters: readonly CanvasStep[]): CanvasSequence {
  return { chain: null, list, filters, handlerAt: null, handler: null };
}

/** An object such as a binding: its condition says which requests go this way. */
function conditional(
  fields: readonly ShownField[],
  value: JsonObject,
  path: Path,
  label: string,
  around: Around,
): CanvasBranch[] {
  const { condition } = value;
  const hasCondition = fields.some(({ name }) => name === 'condition');
  return branchesOf(fields, value, path, around).map((branch) => {
    if (!hasCondition) return { ...branch, label: `${label} ${branch.label}` };
    return typeof condition === 'string'
      ? { ...branch, label: 'if', condition }
      : { ...branch, label: label.startsWith('bindings') ? 'otherwise' : label };
  });
}
