import { z } from 'zod';
import { text } from '../../../contract/vocabulary/configured.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import { idTokenFaults } from '../../jose/id-token.ts';
import { validatedJwt, validationFields, validationRemarks, validationRules } from './validated-jwt.ts';

/** Lets requests pass that bring a sound ID token for a client. */
export const idTokenValidationFilter = defineFilter({
  type: 'IdTokenValidationFilter',
  summary:
    'Validates an ID token of OpenID Connect. The token must be for this client (`aud`, and `azp` with several ' +
    'audiences), must have `iat` and `exp`, and must be valid now. Issuer and signature are checked if they are ' +
    'configured. A request with a valid token is passed on with the context `jwtValidation`, which has the ' +
    'properties `value`, `header`, `claims` and `info` (the claims too). All other requests go to the failure ' +
    'handler with the context `jwtValidationError`, which has the properties `jwt` and `violations`, a list of ' +
    '`{description}`. If more tokens arrive than can be verified, some requests get 503 with Retry-After.',
  config: z
    .strictObject({
      idToken: runtimeText().describe('The ID token.'),
      audience: text().describe('Client id that the token must be issued for.'),
      issuer: text().optional().describe('Required issuer (`iss`), compared exactly.'),
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
    const { audience, issuer = null } = config;
    return validatedJwt(config.idToken, config, parts, (claims) => idTokenFaults(claims, audience, issuer));
  },
});
