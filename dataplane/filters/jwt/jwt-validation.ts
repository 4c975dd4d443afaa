import { z } from 'zod';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import { validatedJwt, validationFields, validationRemarks, validationRules } from './validated-jwt.ts';

/** Lets requests pass that bring a sound JWT. */
export const jwtValidationFilter = defineFilter({
  type: 'JwtValidationFilter',
  summary:
    'Validates a JWT that may be signed, encrypted, or both in either order. With `verificationSecretId` the JWT ' +
    'must be signed with such a key, with `decryptionSecretId` it must be encrypted with such a key; without ' +
    'them signature or encryption are not checked. A JWT with `exp` in the past, or with `nbf` or `iat` in the ' +
    'future, is not valid. A request with a valid JWT is passed on with the context `jwtValidation`, which has ' +
    'the properties `value`, `header`, `claims` and `info` (the claims too). A request without a JWT, or with ' +
    'one that is not valid or cannot be validated, goes to the failure handler with the context ' +
    '`jwtValidationError`, which has the properties `jwt` and `violations`, a list of `{description}`. If more ' +
    'JWTs arrive than can be verified, some requests get 503 with Retry-After.',
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
