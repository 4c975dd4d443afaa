import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../document/canonical.ts';
import { DocumentBounds } from '../document/document-bounds.ts';
import { MOST_NESTING } from '../document/document-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../document/json-value.ts';
import type { Problem } from '../problem.ts';
import { changeContainer } from './change-container.ts';
import {
  type Container,
  indexOf,
  isContainer,
  itemAt,
  NoSuchPlace,
  withInserted,
  withMember,
  withoutItem,
} from './container.ts';
import { badRequest, CrestError } from './crest-error.ts';
import { type JsonPointer, pointerText, valueAt } from './json-pointer.ts';
import type { PatchOperation } from './patch-operation.ts';

export interface PatchOptions {
  /** Returns true for fields whose arrays are sets: unordered, without duplicates. Other arrays are lists. */
  readonly isSet?: (field: JsonPointer) => boolean;
  /** Returns the transformed value of a field. @throws CrestError */
  readonly transform?: Transform;
}

/** Options of a patch whose transformations take time. */
export interface SlowPatchOptions extends Omit<PatchOptions, 'transform'> {
  readonly transform?: Transform<Promise<JsonValue>>;
}

/** Transforms a value; undefined if the field does not exist. */
export type Transform<Made = JsonValue> = (found: JsonValue | undefined, transformation: JsonValue) => Made;

/** Values that the operations of one patch may add together: copies of copies would grow without end. */
const MOST_ADDED = 50_000;
/** Values that they may look at in arrays, and their characters: each operation may look at all of a long one. */
const MOST_COMPARED = 200_000;
const MOST_COMPARED_CHARACTERS = 8_388_608;
/** Members that they may copy: each operation copies the objects around its field, and copying a wide one takes long. */
const MOST_COPIED = 500_000;
/** Operations that may transform, each of which may run a script. */
const MOST_TRANSFORMED = 20;
/** Elements of an array that are copied in the time of one member. */
const ELEMENTS_PER_MEMBER = 16;

/** Applies the operations of a patch in order, all or none. @throws CrestError */
export function applyPatch(
  content: JsonObject,
  operations: readonly PatchOperation[],
  options: PatchOptions = {},
): JsonObject {
  const patch = steps(content, operations, options);
  let step = patch.next();
  while (step.done !== true) step = patch.next(step.value);
  return step.value;
}

/** The same with transformations that take time. @throws CrestError */
export async function applySlowPatch(
  content: JsonObject,
  operations: readonly PatchOperation[],
  options: SlowPatchOptions = {},
): Promise<JsonObject> {
  const patch = steps(content, operations, options);
  let step = patch.next();
  while (step.done !== true) step = patch.next(await step.value);
  return step.value;
}

/** Applies the operations. Yields transformed values, and goes on with the values that they turn out to be. */
function* steps<Made>(
  content: JsonObject,
  operations: readonly PatchOperation[],
  options: Omit<PatchOptions, 'transform'> & { readonly transform?: Transform<Made> },
): Generator<Made, JsonObject, JsonValue> {
  refuseMany(operations);
  let now: JsonValue = content;
  const added = new DocumentBounds(MOST_ADDED);
  const compared = new DocumentBounds(MOST_COMPARED, MOST_COMPARED_CHARACTERS);
  let copied = 0;
  const setting: Setting = {
    ...options,
    copies(value, field) {
      copied += copiedAt(value, field);
      if (copied > MOST_COPIED) throw badRequest('a patch changes objects with many members too often');
    },
    weigh(value, depth) {
      if (depth > MOST_NESTING) throw badRequest(`a patch nests values more than ${MOST_NESTING} levels deep`);
      refuseExcess(added.add(value, depth), 'adds');
      return value;
    },
    look: (array) => refuseExcess(compared.add(array), 'compares'),
  };
  for (const one of operations) {
    try {
      if (one.operation !== 'transform') {
        now = applyOperation(now, one, setting);
        continue;
      }
      const { field, value } = one;
      if (options.transform === undefined) throw new CrestError(501, 'transform is not available for this resource');
      if (field.length === 0) throw wholeResource();
      const made: JsonValue = yield options.transform(valueAt(now, field), value);
      now = atField(now, field, setting, () => setting.weigh(made, field.length));
    } catch (error) {
      if (!(error instanceof NoSuchPlace)) throw error;
      throw new CrestError(409, `${one.operation}: the field '${pointerText(one.field)}' does not exist`);
    }
  }
  return now as JsonObject;
}

function refuseMany(operations: readonly PatchOperation[]): void {
  if (operations.filter(({ operation }) => operation === 'transform').length > MOST_TRANSFORMED)
    throw badRequest(`a patch has at most ${MOST_TRANSFORMED} operations that transform`);
}

function wholeResource(): CrestError {
  return badRequest('a patch cannot change the resource as a whole');
}

function refuseExcess(excess: Problem | null, verb: string): void {
  if (excess !== null) throw badRequest(`what a patch ${verb} ${excess.message}`);
}

/** Members of the containers on the way to a field. */
function copiedAt(value: JsonValue, field: JsonPointer): number {
  let now: JsonValue | undefined = value;
  let size = 0;
  for (const step of field) {
    if (!isContainer(now)) break;
    size += Array.isArray(now) ? now.length / ELEMENTS_PER_MEMBER : Object.keys(now).length;
    now = itemAt(now, step);
  }
  return size;
}

interface Setting extends Omit<PatchOptions, 'transform'> {
  /** Counts the containers that are about to be copied for a change of a field. */
  copies(now: JsonValue, field: JsonPointer): void;
  /** Counts a value that is about to be added at a depth. */
  weigh(value: JsonValue, depth: number): JsonValue;
  /** Counts an array of which every element is about to be compared. */
  look(array: readonly JsonValue[]): void;
}

type PlainOperation = Exclude<PatchOperation, { readonly operation: 'transform' }>;

function applyOperation(now: JsonValue, one: PlainOperation, setting: Setting): JsonValue {
  const { field } = one;
  switch (one.operation) {
    case 'add':
      return withAdded(now, field, one.value, setting);
    case 'replace':
      if (indexOf(field.at(-1) ?? '') !== null && Array.isArray(valueAt(now, field.slice(0, -1)))) {
        throw badRequest(`replace: '${pointerText(field)}' is an element; replace the whole array`);
      }
      return withAdded(withoutField(now, field, undefined, setting), field, one.value, setting);
    case 'remove':
      return field.length === 0 ? now : withoutField(now, field, one.value, setting);
    case 'increment':
      return atField(now, field, setting, (found) => incremented(found, one.value, field));
    case 'copy':
      return withAdded(now, field, sourceOf(now, one), setting);
    case 'move': {
      const value = sourceOf(now, one);
      return withAdded(withoutField(now, one.from, undefined, setting), field, value, setting);
    }
  }
}

function sourceOf(now: JsonValue, { operation, from }: { operation: string; from: JsonPointer }): JsonValue {
  const value = from.length === 0 ? undefined : valueAt(now, from);
  if (value === undefined) throw new CrestError(409, `${operation}: the field '${pointerText(from)}' does not exist`);
  return value;
}

function withAdded(now: JsonValue, field: JsonPointer, value: JsonValue, setting: Setting): JsonValue {
  if (field.length === 0) throw wholeResource();
  setting.weigh(value, field.length);
  setting.copies(now, field);
  return changeContainer(now, field, true, (container, step): Container => {
    if (Array.isArray(container)) return addedElement(container, step, value, field, setting);
    const found = itemAt(container, step);
    return withMember(container as JsonObject, step, merged(found, value, field, setting));
  });
}

function addedElement(
  array: readonly JsonValue[],
  step: string,
  value: JsonValue,
  field: JsonPointer,
  setting: Setting,
): readonly JsonValue[] {
  if (step === '-' && Array.isArray(value)) throw badRequest("only one element can be added at '-'");
  return setting.isSet?.(field.slice(0, -1)) ? union(array, [value], setting) : withInserted(array, step, value);
}

/** An array is appended to a list and merged into a set; any other value takes the place of the one before. */
function merged(found: JsonValue | undefined, value: JsonValue, field: JsonPointer, setting: Setting): JsonValue {
  const before = Array.isArray(found) ? (found as readonly JsonValue[]) : [];
  if (setting.isSet?.(field)) {
    return union(before, Array.isArray(value) ? (value as readonly JsonValue[]) : [value], setting);
  }
  return Array.isArray(found) && Array.isArray(value) ? [...before, ...(value as readonly JsonValue[])] : value;
}

function union(before: readonly JsonValue[], added: readonly JsonValue[], { look }: Setting): readonly JsonValue[] {
  look(before);
  const seen = new Set<string>();
  return [...before, ...added].filter((one) => seen.size < seen.add(canonicalJson(one)).size);
}

/** Without a value the whole field goes. With one, a list loses one element for each value, a set all equal ones. */
function withoutField(
  now: JsonValue,
  field: JsonPointer,
  value: JsonValue | undefined,
  { isSet, look, copies }: Setting,
): JsonValue {
  copies(now, field);
  return changeContainer(now, field, false, (container, step): Container => {
    const found = itemAt(container, step);
    if (found === undefined) return container;
    if (value === undefined || isDeepStrictEqual(found, value)) return withoutItem(container, step);
    if (!Array.isArray(found) || !isJsonObject(container)) return container;
    look(found as readonly JsonValue[]);
    const gone = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    return withMember(container, step, difference(found as readonly JsonValue[], gone, isSet?.(field) === true));
  });
}

function difference(array: readonly JsonValue[], gone: readonly JsonValue[], isSet: boolean): readonly JsonValue[] {
  const left = new Map<string, number>();
  for (const key of gone.map(canonicalJson)) left.set(key, (left.get(key) ?? 0) + 1);
  return array.filter((one) => {
    const key = canonicalJson(one);
    const count = left.get(key) ?? 0;
    if (!isSet) left.set(key, count - 1);
    return count <= 0;
  });
}

/** Changes the value of a field or of an element of an array. */
function atField(
  now: JsonValue,
  field: JsonPointer,
  { copies }: Setting,
  change: (found: JsonValue | undefined) => JsonValue,
): JsonValue {
  if (field.length === 0) throw wholeResource();
  copies(now, field);
  const made = change(valueAt(now, field));
  return changeContainer(now, field, true, (container, step): Container => {
    if (!Array.isArray(container)) return withMember(container as JsonObject, step, made);
    return withInserted(withoutItem(container, step) as readonly JsonValue[], step, made);
  });
}

/** An array of numbers is incremented element by element. */
function incremented(found: JsonValue | undefined, by: number, field: JsonPointer): JsonValue {
  const values = Array.isArray(found) ? (found as readonly JsonValue[]) : [found];
  const sums = values.map((value) => {
    const sum = typeof value === 'number' ? value + by : Number.NaN;
    if (!Number.isFinite(sum)) throw badRequest(`increment: '${pointerText(field)}' is not a number`);
    return sum;
  });
  return Array.isArray(found) ? sums : sums[0]!;
}
