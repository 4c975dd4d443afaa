import { z } from 'zod';
import { duration, secretId, text } from '../../../contract/vocabulary/configured.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { isEndpointPath } from '../../openid/client/client-endpoint.ts';
import { cookieFields } from '../../sessions/cookie-fields.ts';
import { webUrl } from './login-page.ts';
import { signOnFields } from './sign-on-fields.ts';

/** Fields of a CrossDomainSingleSignOnFilter. */
export const crossDomainFields = z
  .strictObject({
    ...signOnFields,
    redirectEndpoint: text()
      .refine(isEndpoint, "must be a path such as '/cdsso/redirect', or an absolute URL with one, without a query")
      .describe(
        'Path or URL that the access manager posts its token to. Routes must send requests for it to this filter, and ' +
          'the agent profile must allow it.',
      ),
    authCookie: cookieFields('ig-token-cookie')
      .prefault({})
      .describe(
        'Cookie that holds the token. Over https it is always `Secure`. It is not passed on to the backend. A token that ' +
          'is too long for one cookie takes several.',
      ),
    lifetime: duration()
      .optional()
      .describe(
        'Maximum age of a token, counted from its `iat`; by default until its `exp`. Then the access manager is asked for ' +
          'another one, without a login where its session goes on.',
      ),
    failureHandler: ref('handler')
      .optional()
      .describe('Answers when a sign-on fails, with the context `cdssoFailure`; by default an empty 500.'),
    verificationSecretId: secretId()
      .optional()
      .describe('Id of the keys that verify tokens, in place of those that the access manager publishes.'),
    secretsProvider: ref('secretsProvider').optional().describe('Provider of these keys.'),
  })
  .check(needs('verificationSecretId', 'secretsProvider'));

function isEndpoint(given: string): boolean {
  const url = webUrl(given);
  if (url === null) return isEndpointPath(given);
  return url.search === '' && url.hash === '' && url.username === '' && isEndpointPath(url.pathname);
}
