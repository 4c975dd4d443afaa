import { z } from 'zod';
import { isJsonObject, type JsonValue, kindOf } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { Reference, ref } from '../../../contract/vocabulary/reference.ts';

const TYPE = 'ClientRegistration';

/** A registration: its name, its declaration, or just the fields of one, such as `issuer` and `clientId`. */
export function registrationField(): z.ZodType<Reference<'clientRegistration'>, unknown> {
  const notes = { label: `${TYPE} reference`, reference: 'clientRegistration' };
  return z.union([fieldsOnly(), ref('clientRegistration')]).meta(notes);
}

function fieldsOnly(): z.ZodType<Reference<'clientRegistration'>, unknown> {
  const json = { type: 'object', required: ['clientId', 'issuer'], not: { required: ['type'] } };
  return leaf(`fields of a ${TYPE}`, json, (value) => {
    const given = value as JsonValue;
    if (isJsonObject(given) && !('type' in given)) {
      return new Reference('clientRegistration', null, { type: TYPE, config: given }, [], true);
    }
    throw new ValueProblem('value', `must be the name of a ${TYPE}, or an object, not ${kindOf(value)}`);
  });
}
