import type { TypeDefinition } from '../../heap/definition.ts';
import { scriptableAccessTokenResolver } from '../../scripts/scriptable-access-token-resolver.ts';
import { scriptableFilter } from '../../scripts/scriptable-filter.ts';
import { scriptableHandler } from '../../scripts/scriptable-handler.ts';
import { scriptableJwtValidatorCustomizer } from '../../scripts/scriptable-jwt-validator-customizer.ts';
import { scriptableResourceAccess } from '../../scripts/scriptable-resource-access.ts';
import { scriptableResourceUriProvider } from '../../scripts/scriptable-resource-uri-provider.ts';
import { scriptableThrottlingPolicy } from '../../scripts/scriptable-throttling-policy.ts';

/** Types that run scripts. */
export const scriptTypes: readonly TypeDefinition[] = [
  scriptableAccessTokenResolver,
  scriptableFilter,
  scriptableHandler,
  scriptableJwtValidatorCustomizer,
  scriptableResourceAccess,
  scriptableResourceUriProvider,
  scriptableThrottlingPolicy,
];
