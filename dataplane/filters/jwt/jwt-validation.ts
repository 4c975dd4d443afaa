import { z } from 'zod';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import { validatedJwt, validationFields, validationRemarks, validationRules } from './validated-jwt.ts';

/** Lets requests pass that bring a sound JWT. */
export const jwtValidationFilter = defineFilter({
  type: 'JwtValidationFilter',
  summary:
    'Checks a JWT that may be signed, encrypted, or both in either order. Where `verificationSecretId` or ' +
    '`decryptionSecretId` is given, the JWT must be signed or encrypted with such a key; what is not given is not ' +
    'checked. A JWT whose `exp` is over, or whose `nbf` or `iat` is still to come, is not valid. The context ' +
    '`jwtValidation` of a request that passes has the properties `value`, `header`, `claims` and `info` (the claims ' +
    'too); a request without a JWT, with one that is not valid or that cannot be checked goes to the failure handler ' +
    'with the context `jwtValidationError`, which has the properties `jwt` and `violations`, a list of ' +
    '`{description}`. When more JWTs come than can be verified, some are answered with 503 and Retry-After.',
  config: z
    .strictObject({
      jwt: runtimeText().describe('The JWT, such as ${request.headers["X-Token"][0]}.'),
      ...validationFields,
    })
    .check(...validationRules),
  examples: [
    {
      title: 'A signed JWT in a header',
      config: {
        jwt: "${request.headers['X-Token'][0]}",
        verificationSecretId: 'jwt.verification',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
        skewAllowance: '30 seconds',
      },
    },
  ],
  remarks: (config) => validationRemarks(config),
  create(config, parts) {
    return validatedJwt(config.jwt, config, parts);
  },
});
