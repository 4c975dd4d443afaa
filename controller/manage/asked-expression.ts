import { badRequest } from '../../contract/crest/crest-error.ts';
import { boundsProblem } from '../../contract/document/document-bounds.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { EvaluatedExpression } from '../../contract/shown/evaluated-expression.ts';
import { ASKED_REQUEST, type AskedRequest, readAskedRequest } from './explained-request.ts';

/** An expression that somebody wants to try. */
export interface AskedExpression {
  /** Text with `${…}` in it. */
  readonly expression: string;
  readonly request: AskedRequest;
  /** Properties of the document that it is for: names in the expression. */
  readonly properties: JsonObject;
}

/** Evaluates an expression for a described request. It reaches nothing but the request and the properties. */
export type EvaluateExpression = (asked: AskedExpression) => EvaluatedExpression;

const MEMBERS = ['expression', 'request', 'properties'];
const LONGEST = 16_384;

/** Schema of the body of the action. */
export const ASKED_EXPRESSION: JsonObject = {
  type: 'object',
  required: ['expression'],
  properties: {
    expression: { type: 'string', maxLength: LONGEST, description: 'Text with ${…} in it.' },
    request: ASKED_REQUEST,
    properties: { type: 'object', description: 'Properties of the document: names in the expression.' },
  },
  additionalProperties: false,
};

/** Schema of the answer. */
export const EVALUATED: JsonObject = {
  type: 'object',
  required: ['outcome'],
  properties: {
    outcome: { type: 'string', enum: ['value', 'failed', 'invalid', 'unavailable'] },
    type: { type: 'string', description: 'Type of the value, such as `String`.' },
    value: { type: 'string', description: 'The value as JSON text; cut off if it is long.' },
    message: { type: 'string', description: 'Reason why there is no value.' },
    offset: { type: 'integer', description: 'Place of the error in the text.' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
};

/** Reads the body of the action `evaluate`. @throws CrestError */
export function readAskedExpression(body: JsonValue): AskedExpression {
  if (!isJsonObject(body)) throw badRequest("the body must be a JSON object with an 'expression'");
  for (const name of Object.keys(body)) {
    if (!MEMBERS.includes(name)) throw badRequest(`there is no '${name}': there are ${MEMBERS.join(', ')}`);
  }
  const { expression, request = { uri: '/' }, properties = {} } = body;
  if (typeof expression !== 'string') throw badRequest("'expression' must be a text");
  if (expression.length > LONGEST) throw badRequest(`'expression' must have at most ${LONGEST} characters`);
  if (!isJsonObject(properties)) throw badRequest("'properties' must be an object");
  const excess = boundsProblem(properties);
  if (excess !== null) throw badRequest(`'properties' ${excess.message}`);
  return { expression, request: readAskedRequest(request), properties };
}
