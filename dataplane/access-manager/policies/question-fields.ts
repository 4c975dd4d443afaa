import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { isExpression, jwtTemplate } from '../../filters/jwt/jwt-template.ts';

/** An expression; a text that is always empty would refuse every request. */
function subject() {
  return runtimeText().refine(({ compiled, read }) => compiled !== null || read(null, null) !== '', {
    error: "must not be empty: write an expression such as '${contexts.ssoToken.value}'",
  });
}

/** Fields that say for whom a decision is asked, and in which environment. */
export const questionFields = {
  ssoTokenSubject: subject()
    .optional()
    .describe(
      'Session token of the subject, such as `${contexts.ssoToken.value}` after a SingleSignOnFilter or a ' +
        'CrossDomainSingleSignOnFilter.',
    ),
  jwtSubject: subject()
    .optional()
    .describe(
      'JWT of the subject, such as `${attributes.openid.id_token}` after an AuthorizationCodeOAuth2ClientFilter.',
    ),
  claimsSubject: jwtTemplate()
    .refine((template) => isExpression(template) || Object.hasOwn(template, 'sub'), {
      error: "must have the claim 'sub'",
    })
    .optional()
    .describe(
      'Claims of the subject: a map of expressions, or one expression that evaluates to a map. The claim `sub` is ' +
        'required. Claims that evaluate to null are left out.',
    ),
  environment: jwtTemplate()
    .optional()
    .describe(
      'Values for environment conditions of policies: a map of expressions, or one expression that evaluates to a ' +
        'map. Each value is sent as a list of strings. Values that evaluate to null are left out.',
    ),
};
