import type { TypeDefinition } from '../../heap/definition.ts';
import { defaultRateThrottlingPolicy } from '../../throttling/default-rate-throttling-policy.ts';
import { mappedThrottlingPolicy } from '../../throttling/mapped-throttling-policy.ts';
import { throttlingFilter } from '../../throttling/throttling.ts';

/** Types that limit rates. */
export const throttlingTypes: readonly TypeDefinition[] = [
  defaultRateThrottlingPolicy,
  mappedThrottlingPolicy,
  throttlingFilter,
];
