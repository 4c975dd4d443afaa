import { defineFilter, type Remark } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { idleDiscoveryFields } from '../discovery/discovery-fields.ts';
import { dynamicRegistrations } from '../discovery/dynamic-registrations.ts';
import { UserIssuers } from '../discovery/user-issuers.ts';
import { configuredProver } from '../lifetime/configured-prover.ts';
import { SessionLifetime } from '../lifetime/session-lifetime.ts';
import { ClientEndpoint } from './client-endpoint.ts';
import { clientFields } from './client-filter-fields.ts';
import { clientRefusals, OpenidClient } from './openid-client.ts';
import { RegistrationChoice } from './registration-choice.ts';

/** Signs users in at an OpenID provider. */
export const authorizationCodeOAuth2ClientFilter = defineFilter({
  type: 'AuthorizationCodeOAuth2ClientFilter',
  aliases: ['OAuth2ClientFilter'],
  summary:
    'Signs users in at an OpenID provider, or at an OAuth 2.0 authorization server, with the authorization code flow and ' +
    'PKCE. A page request without a signed-in user is redirected to the provider; afterwards the browser comes back to ' +
    'the page. Requests of scripts, and methods other than GET and HEAD, get 401 instead. Tokens are in the session; ' +
    'requests of signed-in users pass on with a map in `target`: `access_token`, `token_type`, `scope` (a list), ' +
    '`expires_in` (seconds), `id_token`, `id_token_claims`, `user_info`, `client_registration` and `client_endpoint`. ' +
    'Access tokens are refreshed before they expire, once for all units of the data plane. When the provider rejects the ' +
    'refresh token, the user signs in again; when it does not answer, requests with an expired token get 503. ' +
    'Below `clientEndpoint` the filter answers itself: `/login?registration=CLIENT_ID&issuer=NAME&goto=URL`, ' +
    '`/login/?discovery=INPUT&goto=URL` (a user@domain, a domain or the URL of an issuer), ' +
    '`/callback` (the redirect URI to register at the provider), `/logout?goto=URL`, `/backchannel_logout` and ' +
    '`/frontchannel_logout` (OpenID logout by the provider); every other path there is a 404. ' +
    'A `goto` must be relative or of the same origin. A sign-in that fails goes to the failure handler with the context ' +
    '`oauth2Failure`, which has `error`, `description`, `exception` and `scope`.',
  lendsCredentials: true,
  ownCalls: ['discoveryHandler'],
  config: clientFields,
  examples: [
    {
      title: 'Sign-in with nothing but an issuer and a client id',
      config: {
        clientEndpoint: '/openid',
        registrations: [{ issuer: 'https://login.example.com', clientId: 'gateway' }],
        failureHandler: { type: 'StaticResponseHandler', config: { status: 403, entity: 'You are not signed in.' } },
      },
    },
  ],
  remarks(config) {
    const { requireHttps } = config;
    const remarks: Remark[] = idleDiscoveryFields(config).map((field) => ({
      at: [field],
      code: 'no-effect',
      message: "has no effect without 'metadata'",
    }));
    if (!requireHttps) {
      remarks.push({ at: ['requireHttps'], code: 'insecure', message: 'sessions and codes may travel unencrypted' });
    }
    return remarks;
  },
  ownPath({ clientEndpoint }) {
    if (clientEndpoint.compiled !== null) return null;
    const path = `${clientEndpoint.read(null, null)?.replace(/\/$/, '')}/callback`;
    return { field: 'clientEndpoint', path, consequence: 'nobody can sign in' };
  },
  create(config, parts) {
    const { resolve } = parts;
    const { prompt, maxAge, acrValues } = config;
    const registrations = config.registrations.map((one) => resolve(one));
    const dynamic = dynamicRegistrations(config, parts);
    const provider = config.secretsProvider === undefined ? null : resolve(config.secretsProvider);
    const lifetime = new SessionLifetime(
      {
        cacheExpiration: config.cacheExpiration.milliseconds,
        revokesTokens: config.revokeOauth2TokenOnLogout,
        endsProviderSession: config.openIdEndSessionOnLogout,
        prover: configuredProver(config.proofOfPossession, provider, parts),
      },
      parts,
    );
    const client = new OpenidClient(
      {
        endpoint: new ClientEndpoint(config.clientEndpoint, config.oAuth2SessionKey ?? null),
        registrations: new RegistrationChoice(registrations, dynamic),
        userIssuers: new UserIssuers(registrations, dynamic, resolve(config.discoveryHandler)),
        terms: {
          prompt: prompt ?? null,
          maxAge: maxAge === undefined ? null : Math.floor(maxAge.milliseconds / 1000),
          acrValues: acrValues === undefined ? null : acrValues.join(' '),
          pushes: config.pushAuthorizationRequests,
          skew: config.skewAllowance.milliseconds,
        },
        target: config.target,
        requireHttps: config.requireHttps,
        requireLogin: config.requireLogin,
        redirectsScripts: config.redirectScriptRequests,
        loginHandler: config.loginHandler === undefined ? null : resolve(config.loginHandler),
        defaultLoginGoto: config.defaultLoginGoto ?? null,
        defaultLogoutGoto: config.defaultLogoutGoto ?? null,
        denied: denials(parts, clientRefusals, config.failureHandler),
        lifetime,
      },
      parts,
    );
    return (exchange, next) => client.handle(exchange, next);
  },
});
