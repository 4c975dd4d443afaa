import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';

/** Another object under a second name. */
export const delegate = defineService({
  type: 'Delegate',
  kind: 'any',
  summary:
    'Stands for another object under a name of its own, so that the same object can be decorated in more than one ' +
    'way. It can be used wherever that object can.',
  config: z.strictObject({
    delegate: ref('any').describe('The object that it stands for.'),
  }),
  examples: [{ title: 'A handler to decorate apart', config: { delegate: 'ReverseProxyHandler' } }],
  follows: (config) => config.delegate,
  create: (config, { resolve }) => resolve(config.delegate),
});
