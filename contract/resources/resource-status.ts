import { z } from 'zod';
import { oneOf } from './resource-rule.ts';

const condition = z.strictObject({
  type: z.string().min(1).max(316).describe('What the condition is about.'),
  status: oneOf(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  reason: z.string().min(1).max(1024).describe('Why, in one word; docs/operating.md explains each.'),
  message: z.string().max(32_768).describe('Why, for people: every problem with its path.'),
  observedGeneration: z.int().min(0).optional().describe('Generation of the resource that this is said of.'),
  lastTransitionTime: z.string().meta({ format: 'date-time' }).describe('When it last began to hold, or ceased to.'),
});

const conditions = (about: string): z.ZodOptional<z.ZodArray<typeof condition>> =>
  z
    .array(condition)
    .optional()
    .meta({ listType: 'map', listMapKeys: ['type'] })
    .describe(about);

const observedGeneration = z
  .int()
  .min(0)
  .optional()
  .describe('Generation of the resource that the controller judged last.');

/** Every field of `Route.status`. */
export const routeStatus = z.strictObject({
  observedGeneration,
  conditions: conditions(
    'Accepted: whether this generation is sound. ResolvedRefs: whether all that it refers to is there and may be used. ' +
      'Programmed: whether every plane that it selects runs what the controller compiled. BaseCurrent: False while the ' +
      'last good base configuration serves because the newest one is not valid; otherwise absent.',
  ),
  programmed: z
    .string()
    .optional()
    .describe(
      'How many of the planes that it selects run it, such as 2/3, and which generation if it is an older one.',
    ),
  lastGood: z
    .strictObject({
      generation: z.int().min(0).describe('Its generation.'),
      hash: z.string().min(1).describe('Hash of what planes run of it.'),
    })
    .optional()
    .describe('The version that was accepted last. It serves while a newer one is not sound, if onInvalid says so.'),
});

/** Every field of `SecretStore.status` and `AuditService.status`. */
export const referredStatus = z.strictObject({
  observedGeneration,
  conditions: conditions(
    'Accepted: whether this generation is sound and may be used. ResolvedRefs: whether all that it refers to is there ' +
      'and may be used.',
  ),
});
