import { z } from 'zod';
import { flag } from '../../contract/vocabulary/configured.ts';
import { defineDecorator } from '../heap/definition.ts';

const reason = 'this version does not report spans to OpenTelemetry';

/** Takes the place of a decorator that is still to come. */
export const tracingDecorator = defineDecorator({
  type: 'TracingDecorator',
  summary:
    'Accepted for compatibility with configurations that use OpenTelemetry spans. It does nothing, and `true` ' +
    'gives a warning: this version reports no spans. Trace headers such as `traceparent` are passed to backends ' +
    'unchanged. The decorator `tracing` is predefined.',
  config: z.strictObject({}),
  decoration: flag().describe('Whether the object is to be traced.'),
  decorates: ['filter', 'handler'],
  examples: [{ title: 'A second name for the default decorator', config: {} }],
  inVain: (traced) => (traced ? reason : null),
  create: () => ({}),
});
