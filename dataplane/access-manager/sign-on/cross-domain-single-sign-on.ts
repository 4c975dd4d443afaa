import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import type { VerificationKeys } from '../../heap/objects/openid-client.ts';
import { publishedKeys } from '../../openid/published-keys.ts';
import { AuthCookie } from './auth-cookie.ts';
import { crossDomainFields } from './cross-domain-fields.ts';
import { CrossDomainSignOn } from './cross-domain-sign-on.ts';
import { CrossDomainTokens } from './cross-domain-tokens.ts';
import { LoginPage, webUrl } from './login-page.ts';
import { exampleService, signOnRemarks } from './sign-on-fields.ts';
import { signOnRefusals } from './sign-on-refusals.ts';

/** Lets requests of users pass that have a session of an access manager in another domain. */
export const crossDomainSingleSignOnFilter = defineFilter({
  type: 'CrossDomainSingleSignOnFilter',
  provides: ['ssoToken', 'cdsso'],
  checksSession: true,
  summary:
    'Signs users on at an access manager in another domain, whose cookies the gateway does not get. A page request ' +
    'without a token is redirected to the access manager (`/oauth2/authorize`), which posts a signed token to ' +
    '`redirectEndpoint`; the token is then in a cookie of the gateway. Each token is bound to the browser by a nonce ' +
    'and accepted once. Requests with a token pass on while the session is valid, with the contexts `ssoToken` (as after ' +
    'a SingleSignOnFilter) and `cdsso`: `value` (the session token), `token` (the signed token), `claims`, ' +
    '`redirectEndpoint`, `sessionUid` and `cookieInfo`. Requests of scripts, and methods other than GET and HEAD, get 401 ' +
    'without a session. A sign-on that fails goes to the failure handler with the context `cdssoFailure`: `error`, ' +
    '`description` and `throwable`. The gateway needs https there: browsers do not send cookies with forms of other ' +
    'sites otherwise, or for two minutes only.',
  config: crossDomainFields,
  examples: [
    {
      title: 'An application outside of the domain of the access manager',
      config: {
        amService: exampleService,
        redirectEndpoint: 'https://app.example.net/cdsso/redirect',
        authCookie: { secure: true },
        failureHandler: {
          type: 'StaticResponseHandler',
          config: { status: 403, entity: 'Sign-on failed: ${contexts.cdssoFailure.description}' },
        },
      },
    },
  ],
  remarks(config) {
    const { secretsProvider, verificationSecretId } = config;
    const remarks = signOnRemarks(config, config.logoutExpression !== undefined);
    if (secretsProvider === undefined || verificationSecretId !== undefined) return remarks;
    const message = "has no effect without 'verificationSecretId'";
    return [...remarks, { at: ['secretsProvider'], code: 'no-effect', message }];
  },
  ownPath({ redirectEndpoint }) {
    const path = webUrl(redirectEndpoint)?.pathname ?? redirectEndpoint;
    return { field: 'redirectEndpoint', path, consequence: 'nobody can sign on' };
  },
  create(config, parts) {
    const { resolve } = parts;
    const { redirectionMarker: marker, verificationSecretId, secretsProvider } = config;
    const service = resolve(config.amService);
    const authenticationService = config.authenticationService ?? null;

    function keys(): VerificationKeys {
      if (verificationSecretId !== undefined) {
        return { provider: resolve(secretsProvider!), secretId: verificationSecretId };
      }
      const place = { url: () => Promise.resolve(service.oauth2Endpoint('connect/jwk_uri')) };
      const store = publishedKeys({ name: parts.name, log: parts.log, handler: service.handler, place });
      parts.onClose(() => store.close());
      return { provider: store, secretId: 'access-manager' };
    }

    const signOn = new CrossDomainSignOn(
      {
        service,
        page: new LoginPage({ url: service.url, realm: service.realm, authenticationService: null, endpoint: null }),
        redirectEndpoint: config.redirectEndpoint,
        authenticationService,
        agent: service.agentName,
        cookie: new AuthCookie(config.authCookie),
        tokens: new CrossDomainTokens({
          service,
          audience: service.agentName,
          keys: keys(),
          lifetime: config.lifetime?.milliseconds ?? Number.POSITIVE_INFINITY,
        }),
        marker: marker.enabled ? marker.name : null,
        landing: config.defaultLogoutLandingPage?.href ?? null,
        logout: config.logoutExpression ?? null,
        denied: denials(parts, signOnRefusals),
        failure: denials(parts, ['cross-domain-sign-on'], config.failureHandler),
      },
      parts,
    );
    return (exchange, next) => signOn.handle(exchange, next);
  },
});
