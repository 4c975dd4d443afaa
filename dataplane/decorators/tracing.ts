import { z } from 'zod';
import { flag } from '../../contract/vocabulary/configured.ts';
import { defineDecorator } from '../heap/definition.ts';

const reason = 'this version does not report spans to OpenTelemetry';

/** Takes the place of a decorator that is still to come. */
export const tracingDecorator = defineDecorator({
  type: 'TracingDecorator',
  summary:
    'Is accepted so that configurations which ask for OpenTelemetry spans can be used as they are. It does nothing, ' +
    'and `true` gives a warning: this version reports no spans. Trace headers such as `traceparent` pass through to ' +
    'backends untouched. The decorator `tracing` is there without being declared.',
  config: z.strictObject({}),
  decoration: flag().describe('Whether the object is to be traced.'),
  decorates: ['filter', 'handler'],
  examples: [{ title: 'A second name for the default decorator', config: {} }],
  inVain: (traced) => (traced ? reason : null),
  create: () => ({}),
});
