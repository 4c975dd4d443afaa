import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { listOf } from '../../../../contract/document/lenient-parts.ts';
import type { Path } from '../../../../contract/problem.ts';
import { isWithin, valueAt } from '../forms/pointer.ts';
import type { EditedDraft } from './edited-draft.ts';
import type { HeapObject } from './references.ts';
import type { CanvasSequence } from './route-steps.ts';

/** Puts a filter into a sequence. @returns where it is afterwards; null if that is not possible */
export function insertFilter(
  draft: EditedDraft,
  sequence: CanvasSequence,
  index: number,
  filter: JsonValue,
): Path | null {
  const { list, handlerAt } = sequence;
  if (list !== null) return draft.insert(list, index, filter) ? [...list, index] : null;
  if (handlerAt === null) return null;
  const chain = { type: 'Chain', config: { filters: [filter] } };
  return wrapped(draft, handlerAt, chain) ? [...handlerAt, 'config', 'filters', 0] : null;
}

/** Puts a chain to the place of a handler, and the handler with its comments into the chain. */
function wrapped(draft: EditedDraft, at: Path, chain: JsonObject): boolean {
  const key = at.at(-1);
  const parent = at.slice(0, -1);
  const siblings = valueAt(draft.document, parent);
  if (valueAt(draft.document, at) === undefined) return draft.set(at, chain);
  if (typeof key !== 'string' || !isJsonObject(siblings)) return false;
  // The handler has another name while the chain takes its place.
  const aside = freeName(key, new Set(Object.keys(siblings)));
  return draft.together(
    () =>
      draft.move(at, [...parent, aside]) &&
      draft.insert(parent, Object.keys(siblings).indexOf(key), chain, key) &&
      draft.move([...parent, aside], [...at, 'config', 'handler']),
  );
}

/** Moves a filter of a list into a sequence. @param index place before the move @returns where it is afterwards */
export function moveFilter(draft: EditedDraft, from: Path, sequence: CanvasSequence, index: number): Path | null {
  const { list, handlerAt } = sequence;
  const target = list ?? handlerAt;
  if (target === null || isWithin(target, from)) return null;
  const own = from.slice(0, -1);
  const at = from.at(-1);
  if (typeof at !== 'number') return null;
  const afterwards = withoutItem(target, own, at);
  if (list === null) {
    const filter = valueAt(draft.document, from);
    const moved = { ...sequence, handlerAt: afterwards };
    let place: Path | null = null;
    const isDone = draft.together(() => {
      if (filter === undefined || !draft.remove(from)) return false;
      place = insertFilter(draft, moved, 0, filter);
      return place !== null;
    });
    return isDone ? place : null;
  }
  const isSameList = own.length === list.length && isWithin(list, own);
  const to = [...afterwards, isSameList && index > at ? index - 1 : index];
  if (isSameList && to.at(-1) === at) return from;
  return draft.move(from, to) ? to : null;
}

/** The path of something after an item of a list before it has been taken out. */
function withoutItem(path: Path, list: Path, at: number): Path {
  const step = path[list.length];
  if (path.length <= list.length || !isWithin(path, list) || typeof step !== 'number' || step <= at) return path;
  return path.with(list.length, step - 1);
}

/** Declares an object of a document in its heap and refers to it by its name. @returns where it is; null if not possible */
export function toHeap(draft: EditedDraft, path: Path, type: string): Path | null {
  const object = valueAt(draft.document, path);
  const key = path.at(-1);
  if (!isJsonObject(object) || key === undefined) return null;
  const heap = heapOf(draft);
  const own = object['name'];
  const isOwnFree = typeof own === 'string' && own !== '' && !namesIn(heap).has(own);
  const name = isOwnFree ? own : freeName(type, namesIn(heap));
  const at = heap.length;
  const parent = path.slice(0, -1);
  const index = typeof key === 'number' ? key : placeOf(draft.document, parent, key);
  const isDone = draft.together(
    () =>
      draft.move(path, ['heap', at]) &&
      (isOwnFree ||
        (own === undefined ? draft.insert(['heap', at], 0, name, 'name') : draft.set(['heap', at, 'name'], name))) &&
      draft.insert(parent, index, name, typeof key === 'number' ? null : key),
  );
  return isDone ? ['heap', at] : null;
}

/** Declares a named object at the place that refers to it. Others that use it keep the named one. */
export function toInline(draft: EditedDraft, path: Path, { object, users, path: declaredAt }: HeapObject): boolean {
  const { name: _, ...inline } = object;
  const index = declaredAt.at(-1);
  const key = path.at(-1);
  if (users.length > 1 || typeof index !== 'number' || key === undefined) return draft.set(path, inline);
  const isLast = heapOf(draft).length === 1;
  const to = withoutItem(path, declaredAt.slice(0, -1), index);
  const place = typeof key === 'string' ? placeOf(draft.document, path.slice(0, -1), key) : 0;
  // The only user gets the object itself, with its comments.
  return draft.together(
    () =>
      draft.remove(path) &&
      draft.move(declaredAt, to, place) &&
      (!Object.hasOwn(object, 'name') || draft.remove([...to, 'name'])) &&
      (!isLast || draft.remove(['heap'])),
  );
}

/** Gives a named object another name, here and at all places that use it. @returns false for a name that is taken */
export function renameObject(draft: EditedDraft, { path, name, users }: HeapObject, to: string): boolean {
  if (to === '' || to === name || namesIn(heapOf(draft)).has(to)) return false;
  return draft.together(() => draft.set([...path, 'name'], to) && users.every((user) => draft.set(user, to)));
}

/** Adds a named object. @returns where it is; null if that is not possible */
export function addToHeap(draft: EditedDraft, object: JsonObject, type: string): Path | null {
  const heap = heapOf(draft);
  const named = { name: freeName(type, namesIn(heap)), ...object };
  return draft.insert(['heap'], heap.length, named) ? ['heap', heap.length] : null;
}

/** Removes a step: a filter from its list, or the reference to a handler. */
export function removeStep(draft: EditedDraft, path: Path): boolean {
  const isLastOfHeap = path.length === 2 && path[0] === 'heap' && heapOf(draft).length === 1;
  return draft.remove(isLastOfHeap ? ['heap'] : path);
}

function heapOf(draft: EditedDraft): readonly JsonValue[] {
  return listOf(valueAt(draft.document, ['heap']));
}

function namesIn(heap: readonly JsonValue[]): ReadonlySet<JsonValue | undefined> {
  return new Set(heap.map((object) => (isJsonObject(object) ? object['name'] : undefined)));
}

/** `ThrottlingFilter` becomes `throttling`, then `throttling-2`. */
function freeName(type: string, taken: ReadonlySet<JsonValue | undefined>): string {
  const words = type.replace(/(?:Filter|Handler)$/, '').replace(/(?<=[a-z\d])(?=[A-Z])/g, '-');
  const base = words === '' ? 'object' : words.toLowerCase();
  let name = base;
  for (let at = 2; taken.has(name); at++) name = `${base}-${at}`;
  return name;
}

function placeOf(document: JsonValue | undefined, parent: Path, key: string): number {
  const object = valueAt(document, parent);
  return isJsonObject(object) ? Object.keys(object).indexOf(key) : 0;
}
