import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';

/** Another object under a second name. */
export const delegate = defineService({
  type: 'Delegate',
  kind: 'any',
  summary:
    'Alias of another object under its own name, so that the same object can have different decorations. It can ' +
    'be used wherever that object can.',
  config: z.strictObject({
    delegate: ref('any').describe('The object that it refers to.'),
  }),
  examples: [{ title: 'A handler with its own decorations', config: { delegate: 'ReverseProxyHandler' } }],
  follows: (config) => config.delegate,
  create: (config, { resolve }) => resolve(config.delegate),
});
