import { isJsonObject, type JsonObject, type JsonValue } from '../document/json-value.ts';
import { ValueProblem } from '../problem.ts';
import { badRequest, readPart } from './crest-error.ts';
import { type JsonPointer, readJsonPointer } from './json-pointer.ts';

/** One operation of a patch. */
export type PatchOperation =
  | { readonly operation: 'add' | 'replace'; readonly field: JsonPointer; readonly value: JsonValue }
  | { readonly operation: 'transform'; readonly field: JsonPointer; readonly value: JsonValue }
  | { readonly operation: 'increment'; readonly field: JsonPointer; readonly value: number }
  | { readonly operation: 'remove'; readonly field: JsonPointer; readonly value: JsonValue | undefined }
  | { readonly operation: 'copy' | 'move'; readonly field: JsonPointer; readonly from: JsonPointer };

/** Names of the operations. */
export const PATCH_OPERATIONS = ['add', 'copy', 'increment', 'move', 'remove', 'replace', 'transform'] as const;

const MOST_OPERATIONS = 500;

/** Reads the body of a patch. @throws CrestError */
export function readPatch(body: JsonValue): PatchOperation[] {
  if (!Array.isArray(body)) throw badRequest('a patch must be an array of operations');
  if (body.length > MOST_OPERATIONS) throw badRequest(`a patch has at most ${MOST_OPERATIONS} operations`);
  return (body as readonly JsonValue[]).map((one, at) => {
    if (!isJsonObject(one)) throw badRequest(`operation ${at} of the patch must be an object`);
    return readPart(() => readOperation(one), `operation ${at} of the patch`);
  });
}

function readOperation(given: JsonObject): PatchOperation {
  const field = pointerIn(given, 'field');
  const operation = typeof given['operation'] === 'string' ? given['operation'].toLowerCase() : '';
  switch (operation) {
    case 'add':
    case 'replace':
    case 'transform':
      withoutMember(given, 'from');
      return { operation, field, value: valueIn(given) };
    case 'increment': {
      withoutMember(given, 'from');
      const value = valueIn(given);
      if (typeof value !== 'number') throw problem('the value of an increment must be a number');
      return { operation, field, value };
    }
    case 'remove':
      withoutMember(given, 'from');
      return { operation, field, value: given['value'] ?? undefined };
    case 'copy':
    case 'move':
      withoutMember(given, 'value');
      return { operation, field, from: pointerIn(given, 'from') };
    default:
      throw problem("'operation' must be add, copy, increment, move, remove, replace or transform");
  }
}

function pointerIn(given: JsonObject, name: 'field' | 'from'): JsonPointer {
  const text = given[name];
  if (typeof text !== 'string') throw problem(`'${name}' must be a JSON pointer`);
  return readJsonPointer(text);
}

function valueIn(given: JsonObject): JsonValue {
  const value = given['value'] ?? null;
  if (value === null) throw problem("'value' is missing");
  return value;
}

function withoutMember(given: JsonObject, name: 'from' | 'value'): void {
  if ((given[name] ?? null) !== null) throw problem(`'${name}' does not belong to this operation`);
}

function problem(message: string): ValueProblem {
  return new ValueProblem('value', message);
}
