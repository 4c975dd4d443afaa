import { z } from 'zod';
import { flag, text } from '../../contract/vocabulary/configured.ts';
import type { Claims } from '../jose/claims.ts';

/** Fields of resolvers that require claims which a token may lack. */
export const requirementFields = {
  audience: z
    .union([text(), z.array(text()).min(1)])
    .optional()
    .describe(
      'Audience, or several: `aud` of a token must equal or contain one of them exactly, and a token without `aud` ' +
        'is rejected. Without this field, tokens that were issued for another API are accepted too if they have the ' +
        'scopes.',
    ),
  requireExpiry: flag()
    .default(false)
    .describe('Requires `exp`. Otherwise a token without `exp` is accepted and never expires.'),
};

interface Requirements {
  readonly audience?: string | readonly string[] | undefined;
  readonly requireExpiry: boolean;
}

/** Returns a function that says why claims do not meet the requirements, or null. */
export function requirementsOf({ audience, requireExpiry }: Requirements): (claims: Claims) => string | null {
  const audiences = audience === undefined ? null : new Set<unknown>([audience].flat());
  return (claims) => {
    if (audiences !== null && ![claims['aud']].flat().some((one) => audiences.has(one))) {
      return 'it is for another audience';
    }
    return requireExpiry && claims['exp'] === undefined ? "it has no 'exp'" : null;
  };
}
