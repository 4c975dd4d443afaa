import type { Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';
import { spend } from '../../contract/work-budget.ts';
import type { Entity } from '../http/entity.ts';
import { jsonText } from './json-text.ts';
import { parametersIn, parametersShape } from './parameters.ts';

/** What it costs to read one character of JSON. */
const PARSED_STEPS = 3;

/**
 * The content of a message, which whoever evaluates has read beforehand: an expression cannot wait. As a value it is its
 * text.
 */
export const entityShape: Shape<Entity> = {
  name: 'entity',
  properties: {
    string: { get: entityText, set: setEntity, kind: 'text' },
    json: { get: entityJson, set: (entity, value) => entity.set(jsonText(value)) },
    form: { get: (entity) => parametersIn(entityText(entity)), shape: parametersShape },
    bytes: { get: bytesOf, set: setEntity, kind: 'bytes' },
    empty: { get: (entity) => entity.empty, kind: 'boolean' },
    length: { get: (entity) => entity.length, kind: 'number' },
  },
  methods: { isEmpty: (entity) => entity.empty },
  text: entityText,
};

/** Replaces the content by bytes or by a text. */
export function setEntity(entity: Entity, value: Value): void {
  entity.set(value instanceof Uint8Array ? value : textOf(value));
}

/** The content as UTF-8. */
export function entityText(entity: Entity): string {
  const bytes = bytesOf(entity);
  spend(bytes.length >> 2);
  return bytes.toString('utf8');
}

function entityJson(entity: Entity): Value {
  const text = entityText(entity);
  if (text.trim() === '') return null;
  spend(text.length * PARSED_STEPS);
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch {
    throw new EvaluationError('the entity is not JSON');
  }
}

function bytesOf(entity: Entity): Buffer {
  const bytes = entity.peek();
  if (bytes === null) throw new EvaluationError('the entity has not been read');
  return bytes;
}
