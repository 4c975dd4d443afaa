import type { Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';
import { spend } from '../../contract/work-budget.ts';
import type { DecodedText } from '../engine/message/content-charset.ts';
import type { Entity } from '../engine/message/entity.ts';
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
    form: { get: (entity) => parametersIn(formText(entity)), shape: parametersShape },
    bytes: { get: bytesOf, set: setEntity, kind: 'bytes' },
    empty: { get: isEmpty, kind: 'boolean' },
    length: { get: (entity) => bytesOf(entity).length, kind: 'number' },
  },
  methods: { isEmpty },
  text: entityText,
};

/** Replaces the content by bytes or by a text. */
export function setEntity(entity: Entity, value: Value): void {
  entity.set(value instanceof Uint8Array ? value : textOf(value));
}

/** The content as text. */
export function entityText(entity: Entity): string {
  return decodedText(entity).text;
}

/** The content as a form that is percent-encoded in UTF-8, whatever its charset is. */
export function formText(entity: Entity): string {
  const { text, decoder } = decodedText(entity);
  if (decoder.encoding === 'utf-8' || !text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
    return encodeURIComponent(entity.textOf(bytes, decoder.encoding).text);
  });
}

function decodedText(entity: Entity): DecodedText {
  const bytes = bytesOf(entity);
  spend(bytes.length >> 2);
  return entity.textOf(bytes);
}

function isEmpty(entity: Entity): boolean {
  return bytesOf(entity).length === 0;
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
  const bytes = entity.peekDecoded();
  if (bytes === null) throw new EvaluationError('the entity has not been read');
  return bytes;
}
