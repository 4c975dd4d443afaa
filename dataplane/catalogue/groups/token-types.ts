import { certificateThumbprintFilter } from '../../filters/certificate-thumbprint.ts';
import { idTokenValidationFilter } from '../../filters/jwt/id-token-validation.ts';
import { jwtBuilderFilter } from '../../filters/jwt/jwt-builder.ts';
import { jwtValidationFilter } from '../../filters/jwt/jwt-validation.ts';
import { jwkSetHandler } from '../../handlers/jwk-set.ts';
import type { TypeDefinition } from '../../heap/definition.ts';
import { cacheAccessTokenResolver } from '../../oauth2/cache/cache-access-token-resolver.ts';
import { confirmationKeyVerifierAccessTokenResolver } from '../../oauth2/confirmation-key-verifier-access-token-resolver.ts';
import { oauth2ResourceServerFilter } from '../../oauth2/oauth2-resource-server.ts';
import { statelessAccessTokenResolver } from '../../oauth2/stateless-access-token-resolver.ts';
import { tokenIntrospectionAccessTokenResolver } from '../../oauth2/token-introspection-access-token-resolver.ts';

/** Types that judge and make tokens. */
export const tokenTypes: readonly TypeDefinition[] = [
  cacheAccessTokenResolver,
  certificateThumbprintFilter,
  confirmationKeyVerifierAccessTokenResolver,
  idTokenValidationFilter,
  jwkSetHandler,
  jwtBuilderFilter,
  jwtValidationFilter,
  oauth2ResourceServerFilter,
  statelessAccessTokenResolver,
  tokenIntrospectionAccessTokenResolver,
];
