import { integerOf } from '../../contract/expression/coercion.ts';
import type { Shape } from '../../contract/expression/language.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';
import { errorText } from '../../platform/error-text.ts';
import type { Response } from '../engine/message/response.ts';
import { entityShape, setEntity } from './entity-shape.ts';
import { headersShape } from './headers-shape.ts';
import { Status, statusShape } from './status.ts';

/** The response of an exchange, where there is one yet. */
export const responseShape: Shape<Response> = {
  name: 'response',
  properties: {
    status: { get: (response) => new Status(response), set: setStatus, shape: statusShape },
    version: { get: () => 'HTTP/1.1', kind: 'text' },
    headers: { get: (response) => response.headers, shape: headersShape },
    entity: {
      get: (response) => response.entity,
      set: (response, value) => setEntity(response.entity, value),
      shape: entityShape,
    },
    cause: { get: causeOf, kind: 'map' },
  },
  text: (response) => `HTTP/1.1 ${response.status}`,
};

function setStatus(response: Response, value: Value): void {
  const code = value instanceof Status ? value.code : integerOf(value);
  if (code < 200 || code > 999) throw new EvaluationError(`${code} is not a status that ends an exchange`);
  response.status = code;
}

function causeOf({ cause }: Response): Value {
  if (cause === null || cause === undefined) return null;
  return { message: errorText(cause) };
}
