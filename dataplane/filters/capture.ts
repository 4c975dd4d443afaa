import { z } from 'zod';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { defineFilter } from '../heap/definition.ts';

const WHY = "the decorator 'capture' decides what is logged of messages, and the program log is where it goes";

/** Takes the place that a filter of early OpenIG had in chains. */
export const captureFilter = defineFilter({
  type: 'CaptureFilter',
  summary:
    'Passes requests and responses on unchanged. Early versions of OpenIG logged messages with this filter. Use ' +
    'the decorator `capture` instead, beside the `config` of any filter or handler.',
  config: z.strictObject({
    file: noEffect(z.unknown(), WHY).describe('The file that messages were written to.'),
    charset: noEffect(z.unknown(), WHY).describe('The character set of that file.'),
    condition: noEffect(z.unknown(), WHY).describe('Which messages were written.'),
    captureEntity: noEffect(z.unknown(), WHY).describe('Whether bodies were written.'),
  }),
  examples: [{ title: 'A filter that can be removed', config: {} }],
  remarks() {
    const message =
      'has no effect: write "capture": "all" beside the \'config\' of a filter or handler to log its messages';
    return [{ at: [], code: 'no-effect', message }];
  },
  create() {
    return (exchange, next) => next(exchange);
  },
});
