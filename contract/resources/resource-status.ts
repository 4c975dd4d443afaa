import { z } from 'zod';
import { oneOf } from './resource-rule.ts';

const condition = z.strictObject({
  type: z.string().min(1).max(316).describe('Type of the condition.'),
  status: oneOf(['True', 'False', 'Unknown']).describe('Status of the condition.'),
  reason: z.string().min(1).max(1024).describe('Reason in one word; docs/operating.md explains each.'),
  message: z.string().max(32_768).describe('Explanation for people, with every problem and its path.'),
  observedGeneration: z.int().min(0).optional().describe('Generation of the resource that the condition describes.'),
  lastTransitionTime: z.string().meta({ format: 'date-time' }).describe('Time of the last change of the status.'),
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
  .describe('Generation of the resource that the controller validated last.');

/** Every field of `Route.status`. */
export const routeStatus = z.strictObject({
  observedGeneration,
  conditions: conditions(
    'Accepted: this generation is valid. ResolvedRefs: all references exist and may be used. Programmed: every ' +
      'selected data plane runs the version that the controller compiled. Certificates: data planes show all ' +
      'certificates of spec.tls, and none expires soon; absent without spec.tls. BaseCurrent: False while the last good ' +
      'base configuration serves because the newest one is invalid; otherwise absent. AccessManagerLogin: False while ' +
      'the agent of an AmService cannot log in at a data plane; otherwise absent. ScriptsRunning: False while a ' +
      'script is suspended at a data plane; otherwise absent.',
  ),
  programmed: z
    .string()
    .optional()
    .describe('Number of selected data planes that run it, such as 2/3, and the generation if it is an older one.'),
  addresses: z
    .array(
      z.strictObject({
        group: z.string().min(1).describe('Group of data planes that is reached there.'),
        type: oneOf(['IPAddress', 'Hostname']).describe('Kind of the address.'),
        value: z.string().min(1).max(253).describe('The address or host name.'),
      }),
    )
    .max(64)
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Addresses under which clients reach the data planes that serve it.'),
  lastGood: z
    .strictObject({
      generation: z.int().min(0).describe('Generation of that version.'),
      hash: z.string().min(1).describe('Hash of the compiled version that data planes run.'),
    })
    .optional()
    .describe(
      'The version that was accepted last. It serves while a newer version is invalid, unless onInvalid is Refuse.',
    ),
});

/** Every field of `SecretStore.status` and `AuditService.status`. */
export const referredStatus = z.strictObject({
  observedGeneration,
  conditions: conditions(
    'Accepted: this generation is valid and may be used. ResolvedRefs: all references exist and may be used.',
  ),
});
