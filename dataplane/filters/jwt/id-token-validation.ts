import { z } from 'zod';
import { text } from '../../../contract/vocabulary/configured.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import type { Claims } from '../../jose/claims.ts';
import { validatedJwt, validationFields, validationRemarks, validationRules } from './validated-jwt.ts';

/** Lets requests pass that bring a sound ID token for a client. */
export const idTokenValidationFilter = defineFilter({
  type: 'IdTokenValidationFilter',
  summary:
    'Checks an ID token of OpenID Connect: that it is for this client (`aud`, and `azp` where it is for several), that ' +
    'it says when it was issued and when it ends (`iat`, `exp`), that now lies between the two, and its issuer and ' +
    'signature where they are given here. The context `jwtValidation` of a request that passes has the properties ' +
    '`value`, `header`, `claims` and `info` (the claims too); all others go to the failure handler with the context ' +
    '`jwtValidationError`, which has the properties `jwt` and `violations`, a list of `{description}`. When more ' +
    'tokens come than can be verified, some are answered with 503 and Retry-After.',
  config: z
    .strictObject({
      idToken: runtimeText().describe('The ID token.'),
      audience: text().describe('Id of the client that it must be for.'),
      issuer: text().optional().describe('Who must have issued it, exactly as written.'),
      ...validationFields,
    })
    .check(...validationRules),
  examples: [
    {
      title: 'An ID token in a header, verified with the keys of its issuer',
      config: {
        idToken: "${request.headers['X-ID-Token'][0]}",
        audience: 'my-client',
        issuer: 'https://as.example.com',
        verificationSecretId: 'issuer.keys',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
      },
    },
  ],
  remarks: (config) => validationRemarks(config),
  create(config, parts) {
    const { audience, issuer } = config;

    function judge(claims: Claims): string[] {
      const { aud, azp, iss, exp, iat } = claims;
      const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
      return [
        ...(audiences.includes(audience) ? [] : ['the ID token is for another audience']),
        ...(audiences.length > 1 && azp !== audience ? ["'azp' does not name this client"] : []),
        ...(issuer === undefined || iss === issuer ? [] : ['the ID token is of another issuer']),
        ...(exp === undefined ? ["'exp' is missing"] : []),
        ...(iat === undefined ? ["'iat' is missing"] : []),
      ];
    }

    return validatedJwt(config.idToken, config, parts, judge);
  },
});
