import type { Duration } from '../../../contract/duration.ts';
import { duration, secretId } from '../../../contract/vocabulary/configured.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { type Reference, ref } from '../../../contract/vocabulary/reference.ts';
import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Exchange, Filter } from '../../engine/message/exchange.ts';
import type { Parts, Remark } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { trackingIdsIn } from '../../heap/objects/tracking-ids.ts';
import { userIn } from '../../heap/objects/user-name.ts';
import { Verdicts } from '../../heap/objects/verdicts.ts';
import { type Claims, timeFault } from '../../jose/claims.ts';
import { TIME_FAULTS } from '../../jose/id-token.ts';
import { type JwtSecrets, type OpenedJwt, openJwt } from '../../jose/opened-jwt.ts';
import { VerificationBusy } from '../../jose/verification.ts';

/** Fields of what checks JWTs, beside the JWT itself. */
export const validationFields = {
  verificationSecretId: secretId()
    .optional()
    .describe(
      'Id of the verification keys, CryptoKeys. The JWT must be signed with one of them. Without this field the ' +
        'signature is not checked.',
    ),
  decryptionSecretId: secretId()
    .optional()
    .describe('Id of the decryption keys, CryptoKeys. The JWT must be encrypted with one of them.'),
  secretsProvider: ref('secretsProvider')
    .optional()
    .describe('Provider of the keys; they are looked up for each request.'),
  skewAllowance: duration({ zero: true })
    .prefault('zero')
    .describe('Allowed difference between the clocks of the gateway and the issuer.'),
  customizer: ref('jwtValidatorCustomizer').optional().describe('Script with further checks of the claims.'),
  failureHandler: ref('handler')
    .optional()
    .describe(
      'Handler of requests without a valid JWT, with the context `jwtValidationError`; by default an empty 403.',
    ),
};

/** Checks for these fields. */
export const validationRules = [
  needs('verificationSecretId', 'secretsProvider'),
  needs('decryptionSecretId', 'secretsProvider'),
] as const;

/** The fields as they are read. */
export interface ValidationConfig {
  readonly verificationSecretId?: string | undefined;
  readonly decryptionSecretId?: string | undefined;
  readonly secretsProvider?: Reference<'secretsProvider'> | undefined;
  readonly skewAllowance: Duration;
  readonly customizer?: Reference<'jwtValidatorCustomizer'> | undefined;
  readonly failureHandler?: Reference<'handler'> | undefined;
}

/** Remarks on these fields. */
export function validationRemarks(config: ValidationConfig): Remark[] {
  const { verificationSecretId, decryptionSecretId, secretsProvider } = config;
  const remarks: Remark[] = [];
  if (verificationSecretId === undefined) {
    const message =
      decryptionSecretId === undefined
        ? 'accepts forged JWTs: there is no verificationSecretId'
        : 'accepts JWTs without a signature: anyone who knows the encryption key can forge them';
    remarks.push({ at: [], code: 'insecure', message });
  }
  if (secretsProvider !== undefined && verificationSecretId === undefined && decryptionSecretId === undefined) {
    const message = 'has no effect: there is neither a verificationSecretId nor a decryptionSecretId';
    remarks.push({ at: ['secretsProvider'], code: 'no-effect', message });
  }
  return remarks;
}

/** More JWTs came than can be verified. */
const BUSY = Symbol('busy');

/**
 * A filter that lets requests pass whose JWT is sound and which `judge` says nothing against. What is in the JWT is the
 * context `jwtValidation`, what is wrong with it `jwtValidationError`.
 */
export function validatedJwt(
  token: RuntimeExpression<string>,
  config: ValidationConfig,
  parts: Parts,
  judge: (claims: Claims) => readonly string[] = () => [],
): Filter {
  const { resolve, log } = parts;
  const { verificationSecretId = null, decryptionSecretId = null, secretsProvider, failureHandler } = config;
  const denied = denials(parts, ['invalid-jwt', 'not-judged-now'], failureHandler);
  const verdicts = new Verdicts(parts);
  const customizer = config.customizer === undefined ? null : resolve(config.customizer);
  const skew = config.skewAllowance.milliseconds;
  const unchecked = new PacedWarning(log, 'JWT validation is not possible', { most: 1 });
  const secrets: JwtSecrets = {
    provider: secretsProvider === undefined ? null : resolve(secretsProvider),
    verificationSecretId,
    decryptionSecretId,
  };

  /** A script judges only claims that are sound otherwise. */
  async function faultsOf({ claims }: OpenedJwt, exchange: Exchange): Promise<readonly string[]> {
    const fault = timeFault(claims, Date.now(), skew);
    const faults = [...(fault === null ? [] : [TIME_FAULTS[fault]]), ...judge(claims)];
    if (faults.length > 0 || customizer === null) return faults;
    try {
      return await customizer.violations(claims, exchange);
    } catch (error) {
      unchecked.give({ reason: errorText(error) });
      return ['the JWT cannot be validated'];
    }
  }

  /** Claims of a JWT whose signature was not checked are those of its client, and are not noted. */
  function note({ access }: Exchange, jwt: string, claims: Claims): void {
    if (access === null) return;
    const { iss } = claims;
    access.note(verdicts.of('allowed', { issuer: typeof iss === 'string' ? iss : null }));
    for (const id of trackingIdsIn(claims, jwt)) access.track(id);
  }

  return async function validate(exchange, next) {
    const value = token.read(exchange, null);
    const opened = value === null || value === '' ? 'there is no JWT' : await opening(value, secrets, unchecked);
    if (opened === BUSY) {
      const answer = denied.answer(exchange, 'not-judged-now', undefined, 'too many tokens wait for verification');
      answer.headers.append('Retry-After', '1');
      return answer;
    }
    const faults = typeof opened === 'string' ? [opened] : await faultsOf(opened, exchange);
    if (typeof opened === 'string' || faults.length > 0) {
      refuse(exchange, value, faults);
      return denied.refuse(exchange, 'invalid-jwt', undefined, faults.join('; '));
    }
    const { header, claims } = opened;
    const isVerified = verificationSecretId !== null;
    if (isVerified) exchange.identity = { user: userIn(claims) };
    note(exchange, value!, isVerified ? claims : {});
    exchange.setContext('jwtValidation', { value, header, claims, info: claims });
    return next(exchange);
  };
}

function refuse(exchange: Exchange, jwt: string | null, faults: readonly string[]): void {
  exchange.setContext('jwtValidationError', { jwt, violations: faults.map((description) => ({ description })) });
}

/** What cannot be said is refused, and the log says why; what is merely late is not called wrong. */
async function opening(
  text: string,
  secrets: JwtSecrets,
  unchecked: PacedWarning,
): Promise<OpenedJwt | string | typeof BUSY> {
  try {
    return await openJwt(text, secrets);
  } catch (error) {
    if (error instanceof VerificationBusy) return BUSY;
    unchecked.give({ reason: errorText(error) });
    return 'the JWT cannot be validated';
  }
}
