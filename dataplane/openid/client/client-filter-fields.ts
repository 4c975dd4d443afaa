import { z } from 'zod';
import { isJsonObject } from '../../../contract/document/json-value.ts';
import { duration, flag, text } from '../../../contract/vocabulary/configured.ts';
import { noEffect, refused } from '../../../contract/vocabulary/field-notes.ts';
import { type Reference, ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { type RuntimeExpression, runtimeText, target } from '../../../contract/vocabulary/runtime.ts';
import { discoveryFaults, discoveryFields } from '../discovery/discovery-fields.ts';
import { lifetimeFaults, lifetimeFields } from '../lifetime/lifetime-fields.ts';
import { isEndpointPath } from './client-endpoint.ts';
import { registrationField } from './registration-field.ts';

/** Words of `prompt` (OpenID Connect Core, section 3.1.2.1, and Initiating User Registration). */
const PROMPT = /^(?:none|(?:login|consent|select_account|create)(?: (?:login|consent|select_account|create))*)$/;

/** The fields of an AuthorizationCodeOAuth2ClientFilter. */
export const clientFields = z
  .strictObject({
    clientEndpoint: runtimeText()
      .refine(constantFits(isEndpointPath), {
        error: "must be a path with one segment at least, such as '/openid'",
      })
      .describe('Path of the service URIs. Routes must send requests below it to this filter.'),
    registrations: z
      .array(registrationField())
      .default([])
      .describe(
        'ClientRegistrations that users can sign in with. `{ "issuer": "https://…", "clientId": "…" }` is enough of one.',
      ),
    failureHandler: ref('handler').describe('Answers when a sign-in fails, with the context `oauth2Failure`.'),
    loginHandler: ref('handler')
      .optional()
      .describe(
        'Answers page requests without a signed-in user, such as with links to `/login?registration=…`. Required with ' +
          'several registrations; without it the only registration is used.',
      ),
    target: target().prefault('${attributes.openid}').describe('Place of the map of the signed-in user.'),
    defaultLoginGoto: runtimeText()
      .optional()
      .describe('URL after a sign-in that was begun without `goto`; by default `/`.'),
    defaultLogoutGoto: runtimeText()
      .optional()
      .describe('URL after a sign-out without `goto`; by default a short text is shown.'),
    requireHttps: flag()
      .default(true)
      .describe('Refuses requests whose original URI is not https with 403. A trusted proxy may have ended TLS.'),
    requireLogin: flag()
      .default(true)
      .describe(
        'Whether requests need a signed-in user. Otherwise requests without one pass, and the target is not set.',
      ),
    redirectScriptRequests: flag()
      .default(false)
      .describe(
        'Redirects requests of scripts and of page parts to the provider, too. Otherwise they get 401, by ' +
          '`Sec-Fetch-Mode`, `Sec-Fetch-Dest`, `X-Requested-With` and `Accept`.',
      ),
    prompt: text()
      .refine((words) => PROMPT.test(words), {
        error: 'must be `none`, or words of login, consent, select_account and create with a space between',
      })
      .optional()
      .describe(
        'What the provider asks the user for: `none`, or some of `login`, `consent`, `select_account`, `create`.',
      ),
    maxAge: duration({ zero: true })
      .optional()
      .describe('Longest time since the user authenticated at the provider (`max_age`); `auth_time` is checked.'),
    acrValues: z
      .array(text())
      .min(1)
      .optional()
      .describe('Authentication contexts to ask for (`acr_values`), in order of preference.'),
    pushAuthorizationRequests: flag()
      .default(false)
      .describe(
        'Pushes authorization requests (RFC 9126) to a provider that offers it. A provider that requires it gets them ' +
          'pushed in any case. Each redirect then costs a call to the provider.',
      ),
    skewAllowance: duration({ zero: true, max: '10 minutes' })
      .prefault('1 minute')
      .describe('Allowed difference between the clocks of the gateway and the provider.'),
    oAuth2SessionKey: text()
      .optional()
      .describe(
        'Name of the session value with the tokens; by default `oauth2:` and the client endpoint. Filters with the same ' +
          'key, registrations and session share one sign-in.',
      ),
    executor: noEffect(ref('executor'), 'nothing waits in a thread here').describe('Executor of background work.'),
    secretsProvider: ref('secretsProvider')
      .optional()
      .describe('Provider of the key of `proofOfPossession`, and of the secret for dynamic registration.'),
    issuerRepository: refused('registrations name their issuer').describe(
      'Where earlier versions of OpenIG kept discovered issuers.',
    ),
    ...discoveryFields,
    ...lifetimeFields,
  })
  .check(
    rulesAbout(['registrations', 'metadata', 'loginHandler'], ({ registrations, metadata, loginHandler }, add) => {
      if (registrations.length === 0 && metadata === undefined) {
        add(['registrations'], 'must contain at least one registration', 'missing');
      } else if (registrations.length !== 1 && loginHandler === undefined) {
        const why =
          registrations.length === 0
            ? 'users have to name their issuer'
            : 'there are several registrations to choose from';
        add(['loginHandler'], `is required: ${why}`, 'missing');
      }
      for (const [index, name] of repeatedNames(registrations)) {
        const message = `has the same name as another registration, '${name}': give each a 'name' of its own`;
        add(['registrations', index], message);
      }
    }),
  )
  .check(
    rulesAbout(['tokenEndpointAuthMethod', 'discoverySecretId', 'secretsProvider'], (value, add) => {
      for (const [field, message] of discoveryFaults(value)) add([field], message, 'missing');
    }),
  )
  .check(
    rulesAbout(['proofOfPossession', 'secretsProvider'], (value, add) => {
      for (const [field, message] of lifetimeFaults(value)) add([field], message, 'missing');
    }),
  );

/** Names that a registration declared in place has and one before it too; those of the heap are compared when they are built. */
function repeatedNames(registrations: readonly Reference[]): readonly (readonly [index: number, name: string])[] {
  const names = registrations.map(({ declaration }) => {
    const config = isJsonObject(declaration) ? declaration['config'] : null;
    const name = isJsonObject(config) ? (config['name'] ?? config['clientId']) : null;
    return typeof name === 'string' ? name : null;
  });
  return [...names.entries()].filter(
    (one): one is [number, string] => one[1] !== null && names.indexOf(one[1]) < one[0],
  );
}

function constantFits(fits: (value: string) => boolean): (expression: RuntimeExpression<string>) => boolean {
  return ({ compiled, read }) => {
    const value = compiled === null ? read(null, null) : null;
    return value === null || fits(value);
  };
}
