import { z } from 'zod';
import { pattern } from '../../../contract/vocabulary/configured.ts';
import { deprecated } from '../../../contract/vocabulary/field-notes.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { formerSignOnFields } from '../service/former-fields.ts';
import { realm } from '../service/realm.ts';
import { LoginPage, webUrl } from './login-page.ts';
import { exampleService, signOnFields, signOnRemarks } from './sign-on-fields.ts';
import { signOnRefusals } from './sign-on-refusals.ts';
import { SingleSignOn } from './user-sign-on.ts';

/** Lets requests of users pass that have a session of an access manager. */
export const singleSignOnFilter = defineFilter({
  type: 'SingleSignOnFilter',
  provides: ['ssoToken'],
  checksSession: true,
  summary:
    'Passes on requests that carry the session cookie of an access manager, with the context `ssoToken`: `value`, ' +
    '`info` (what the access manager says of the session, and `uid`), `cookieName` and `loginEndpoint`. ' +
    'A page request without a valid session is redirected to the login page, which leads back to the page. Requests of ' +
    'scripts, and methods other than GET and HEAD, get 401 instead. The cookie must be of a domain that contains both ' +
    'hosts, and it is passed on to the backend, as OpenIG does. Of two cookies with different values none counts. When ' +
    'the access manager does not answer, requests get 500. A session of any realm is accepted; a ' +
    'PolicyEnforcementFilter can restrict that.',
  config: z.strictObject({
    ...signOnFields,
    realm: realm().optional().describe('Realm that users log in to; by default that of the AmService.'),
    loginEndpoint: runtimeText()
      .refine(({ compiled, read }) => compiled !== null || webUrl(read(null, null)) !== null, {
        error: "must be an absolute URL, such as 'https://login.example.com/'",
      })
      .optional()
      .describe(
        'URL of another login page; by default that of the access manager. The parameter `goto` is added to a URL ' +
          'without one. An expression that gives no http or https URL is answered with 500.',
      ),
    logoutEndpoint: deprecated(pattern(), 'logoutExpression').describe(
      'Pattern that is found in the URL of requests that log the user out.',
    ),
    ...formerSignOnFields,
  }),
  examples: [
    {
      title: 'Users of the realm of customers, who log out at /logout',
      config: {
        amService: exampleService,
        realm: '/customers',
        logoutExpression: "${request.uri.path == '/logout'}",
        defaultLogoutLandingPage: 'https://www.example.com/bye',
      },
    },
  ],
  remarks: (config) =>
    signOnRemarks(config, config.logoutExpression !== undefined || config.logoutEndpoint !== undefined),
  create(config, parts) {
    const service = parts.resolve(config.amService);
    const { redirectionMarker: marker } = config;
    const signOn = new SingleSignOn(
      {
        service,
        page: new LoginPage({
          url: service.url,
          realm: config.realm ?? service.realm,
          authenticationService: config.authenticationService ?? null,
          endpoint: config.loginEndpoint ?? null,
        }),
        marker: marker.enabled ? marker.name : null,
        landing: config.defaultLogoutLandingPage?.href ?? null,
        logout: config.logoutExpression ?? null,
        logoutUrls: config.logoutEndpoint ?? null,
        denied: denials(parts, signOnRefusals),
      },
      parts,
    );
    return (exchange, next) => signOn.handle(exchange, next);
  },
});
