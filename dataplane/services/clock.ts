import { z } from 'zod';
import { defineService } from '../heap/definition.ts';

/** The time of the machine. */
export const clock = defineService({
  type: 'Clock',
  kind: 'clock',
  summary: 'Provides the time of the machine. Every configuration has one named `Clock`.',
  config: z.strictObject({}),
  examples: [{ title: 'A clock', config: {} }],
  create() {
    return () => Date.now();
  },
});
