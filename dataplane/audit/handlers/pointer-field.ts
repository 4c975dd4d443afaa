import type { z } from 'zod';
import { type JsonPointer, readJsonPointer } from '../../../contract/crest/json-pointer.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';

/** A field of an event: a JSON pointer with or without the first slash, or names with dots between. */
export function pointerField(): z.ZodType<JsonPointer, unknown> {
  return leaf('configuration expression<JSON pointer>', { type: 'string' }, (value) =>
    readConfigured(value, (text) => {
      if (typeof text !== 'string') throw wrongType('a JSON pointer', text);
      const pointer = readJsonPointer(text.includes('/') ? text : text.replaceAll('.', '/'));
      if (pointer.length === 0) throw new ValueProblem('value', 'must name a field of the event');
      return pointer;
    }),
  );
}
