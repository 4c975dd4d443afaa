import { z } from 'zod';

const pointers = (description: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(z.string()).max(1000).optional().describe(description);

const policy = (included: string, excluded: string) =>
  z.strictObject({ includeIf: pointers(included), excludeIf: pointers(excluded) });

/** `filterPolicies` of a service, and of a topic. */
export const policyFields = () =>
  z.strictObject({
    field: policy(
      'Pointers to fields that are recorded in addition to the safe ones.',
      'Pointers to fields that are left out, whatever else is said of them.',
    )
      .optional()
      .describe('Which fields are recorded.'),
    value: policy(
      'The same as `includeIf` of `field`.',
      'Pointers to fields whose values are replaced by empty ones; the fields stay.',
    )
      .optional()
      .describe('Which values are recorded.'),
  });
