import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type AnswerInstead, startAccessManager } from '../../access-manager/access-manager.ts';
import { amDeclaration } from '../../access-manager/policy-gateway.ts';
import { inlineSecrets } from '../../identity/inline-secrets.ts';
import { keyFolder } from '../../identity/key-folder.ts';
import { registration } from '../../identity/sign-in-gateway.ts';
import { startTokenEndpoint } from '../../identity/token-endpoint.ts';
import { type DecidedCase, failureHandler, lines, one, SECRET } from './decided-case.ts';

const NOWHERE = 'http://127.0.0.1:1/token';
const PAGE = ['Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
const COOKIE = 'iPlanetDirectoryPro';
const SERVER = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/openam$/);

/** An introspection endpoint that says this of every token. */
function introspecting(answer: JsonObject, config: JsonObject = {}): DecidedCase['filters'] {
  return async () => {
    const { url: endpoint } = await startTokenEndpoint(() => ({ active: true, scope: 'read write', ...answer }));
    const accessTokenResolver = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint, providerHandler: 'ClientHandler' },
    };
    return [
      {
        type: 'OAuth2ResourceServerFilter',
        config: { accessTokenResolver, scopes: ['read'], requireHttps: false, ...config },
      },
    ];
  };
}

const bearing = lines(`Authorization: Bearer ${SECRET}`);
const issuer = 'https://as.test';

/** A filter of an access manager that knows one session, whose token is the credential. */
function managed(type: string, config: JsonObject, isDown = false) {
  return async (): Promise<readonly JsonValue[]> => {
    const am = await startAccessManager({ version: '7.5.0', policySets: ['shop'] });
    if (isDown) am.answer('/json/sessions', () => ({ status: 500 }));
    return [{ type, config: { amService: amDeclaration(am), ...config } }];
  };
}

/** A PolicyEnforcementFilter whose access manager gives this answer. */
function enforced(answer: AnswerInstead, config: JsonObject = {}): DecidedCase['filters'] {
  return async () => {
    const am = await startAccessManager({ policySets: ['shop'] });
    am.answer('POST /json/policies', answer);
    const ssoTokenSubject = "${request.headers['X-Token'][0]}";
    const whole = { amService: amDeclaration(am), application: 'shop', ssoTokenSubject, ...config };
    return [{ type: 'PolicyEnforcementFilter', config: whole }];
  };
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwtConfig = (): JsonObject => ({ verificationSecretId: 'sig', secretsProvider: keyFolder({ sig: publicKey }) });

/** A sound JWT with the credential among its claims. */
function soundJwt(): Promise<string> {
  const claims = { iss: issuer, sub: 'eve', aud: 'me', jti: 'token-1', secret: SECRET };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey);
}

const BEARER_JWT = "${request.headers['X-Jwt'][0]}";

/** Cases of filters that authenticate or authorize users and clients, and of those that get tokens for backends. */
export const identityCases: readonly DecidedCase[] = [
  {
    type: 'AmSessionIdleTimeoutFilter',
    code: 'session-unchecked',
    reason: /^the access manager did not say whether the session is valid/,
    filters: managed('AmSessionIdleTimeoutFilter', { idleTimeout: '5 minutes' }, true),
    ask: lines(`Cookie: ${COOKIE}=${SECRET}`),
  },
  {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    code: 'sign-in-needed',
    filters: one('AuthorizationCodeOAuth2ClientFilter', {
      clientEndpoint: '/openid',
      registrations: [registration('http://127.0.0.1:1')],
      requireHttps: false,
      failureHandler,
    }),
    ask: { method: 'POST', body: `password=${SECRET}` },
  },
  {
    type: 'ClientCredentialsOAuth2ClientFilter',
    code: 'no-client-token',
    filters: one('ClientCredentialsOAuth2ClientFilter', { tokenEndpoint: NOWHERE, endpointHandler: 'ClientHandler' }),
  },
  {
    type: 'CrossDomainSingleSignOnFilter',
    code: 'sign-in-needed',
    filters: managed('CrossDomainSingleSignOnFilter', { redirectEndpoint: '/cdsso' }),
    ask: { method: 'POST', headers: [`Cookie: ig-token-cookie=${SECRET}`] },
  },
  {
    type: 'CrossDomainSingleSignOnFilter',
    code: 'cross-domain-sign-on',
    reason: 'this browser has begun no such sign-on, or it was finished before or took too long',
    filters: managed('CrossDomainSingleSignOnFilter', { redirectEndpoint: '/cdsso' }),
    target: '/cdsso',
    ask: {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: `id_token=${SECRET}&state=${SECRET}`,
    },
  },
  {
    type: 'CrossDomainSingleSignOnFilter',
    isRedirected: true,
    facts: { server: SERVER },
    filters: managed('CrossDomainSingleSignOnFilter', { redirectEndpoint: '/cdsso' }),
    ask: { headers: PAGE },
  },
  {
    type: 'IdTokenValidationFilter',
    code: 'invalid-jwt',
    reason: /JWT/,
    filters: () => one('IdTokenValidationFilter', { idToken: BEARER_JWT, audience: 'me', ...jwtConfig() })(),
    ask: lines(`X-Jwt: a.${SECRET}.c`),
  },
  {
    type: 'JwtValidationFilter',
    code: 'invalid-jwt',
    reason: /JWT/,
    filters: () => one('JwtValidationFilter', { jwt: BEARER_JWT, ...jwtConfig() })(),
    ask: lines(`X-Jwt: a.${SECRET}.c`),
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'no-token',
    filters: introspecting({}),
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'no-https',
    filters: introspecting({}, { requireHttps: true }),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'invalid-token',
    reason: /./,
    filters: introspecting({ active: false }),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'invalid-token',
    reason: 'the token has expired',
    filters: introspecting({ iss: issuer, exp: 1 }),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'insufficient-scope',
    reason: "the scope 'admin' is missing",
    facts: { issuer, requiredScopes: ['read', 'admin'], scopes: ['read', 'write'], cached: false },
    filters: introspecting({ iss: issuer }, { scopes: ['read', 'admin'] }),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'insufficient-authentication',
    facts: {
      ...{ issuer, requiredScopes: ['read'], scopes: ['read', 'write'], cached: false },
      ...{ requiredAcr: ['gold'], acr: 'silver', requiredMaxAge: 60 },
    },
    filters: introspecting({ iss: issuer, acr: 'silver' }, { acrValues: ['gold'], maxAge: '1 minute' }),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    code: 'invalid-token',
    reason: 'the token is bound to another certificate',
    facts: { issuer, scopes: ['read', 'write'], cached: false },
    filters: async () => {
      const [filter] = (await introspecting({ iss: issuer, cnf: { 'x5t#S256': 'a' } })()) as [JsonObject];
      const { accessTokenResolver, ...config } = filter['config'] as JsonObject;
      const type = 'ConfirmationKeyVerifierAccessTokenResolver';
      const bound = { type, config: { delegate: accessTokenResolver! } };
      return [{ ...filter, config: { ...config, accessTokenResolver: bound } }];
    },
    ask: bearing,
  },
  {
    type: 'OAuth2TokenExchangeFilter',
    code: 'no-client-token',
    reason: /./,
    filters: one('OAuth2TokenExchangeFilter', {
      endpoint: NOWHERE,
      subjectToken: "${request.headers['X-Token'][0]}",
      endpointHandler: 'ClientHandler',
    }),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'PolicyEnforcementFilter',
    code: 'policy-denied',
    facts: { server: SERVER, realm: '/', policySet: 'shop', cached: false, advices: [] },
    filters: enforced(({ body }) => {
      const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
      return { status: 200, body: [{ resource, actions: { GET: false }, attributes: {}, advices: {} }] };
    }),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'PolicyEnforcementFilter',
    code: 'policy-undecided',
    reason: /^the access manager answered the decision request with 500/,
    facts: { server: SERVER, realm: '/', policySet: 'shop', cached: false },
    filters: enforced(() => ({ status: 500 })),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'ResourceOwnerOAuth2ClientFilter',
    code: 'no-client-token',
    filters: one('ResourceOwnerOAuth2ClientFilter', {
      tokenEndpoint: NOWHERE,
      username: 'ada',
      passwordSecretId: 'password',
      secretsProvider: inlineSecrets({ password: SECRET }),
      endpointHandler: 'ClientHandler',
    }),
  },
  {
    type: 'SessionInfoFilter',
    code: 'sign-in-needed',
    filters: managed('SessionInfoFilter', { ssoToken: "${request.headers['X-Token'][0]}" }),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'SingleSignOnFilter',
    code: 'sign-in-needed',
    filters: managed('SingleSignOnFilter', {}),
    ask: { method: 'POST', headers: [`Cookie: ${COOKIE}=${SECRET}`] },
  },
  {
    type: 'SingleSignOnFilter',
    isRedirected: true,
    facts: { server: SERVER },
    filters: managed('SingleSignOnFilter', {}),
    ask: { headers: [...PAGE, `Cookie: ${COOKIE}=${SECRET}`] },
  },
  {
    type: 'UserProfileFilter',
    code: 'user-profile',
    reason: /./,
    filters: async () => {
      const am = await startAccessManager();
      const userProfileService = { type: 'UserProfileService', config: { amService: amDeclaration(am) } };
      return [{ type: 'UserProfileFilter', config: { username: 'nobody', userProfileService } }];
    },
  },
];

const jwt = await soundJwt();
const allowedOnce = (count: number): DecidedCase['facts'] => ({
  ...{ issuer, requiredScopes: ['read'], scopes: ['read', 'write'], cached: count > 0 },
});
const caching = { cache: { enabled: true, maxTimeout: '5 minutes' } };

/** An access manager with a session for the credential. */
function withSession(type: string, config: JsonObject = {}): DecidedCase['filters'] {
  return async () => {
    const am = await startAccessManager();
    const session = { username: 'demo', universalId: 'id=demo,ou=user', realm: '/customers', sessionUid: 'uid-1' };
    am.answer('/json/sessions', () => ({ status: 200, body: { ...session, latestAccessTime: '', properties: {} } }));
    return [{ type, config: { amService: amDeclaration(am), ...config } }];
  };
}

function allowing(actions: JsonObject): AnswerInstead {
  return ({ body }) => {
    const [resource] = (JSON.parse(body) as { resources: string[] }).resources;
    return { status: 200, body: [{ resource, actions, attributes: {}, advices: {}, ttl: Number.MAX_SAFE_INTEGER }] };
  };
}

/** Cases of requests that pass, with the ids that tell sessions and tokens apart. */
export const allowingCases: readonly DecidedCase[] = [
  {
    type: 'AllowOnlyFilter',
    facts: { rule: 'here' },
    filters: one('AllowOnlyFilter', { rules: [{ name: 'here', from: [{ ip: { list: ['127.0.0.1'] } }] }] }),
  },
  { type: 'ConditionEnforcementFilter', filters: one('ConditionEnforcementFilter', { condition: '${true}' }) },
  {
    type: 'JwtValidationFilter',
    facts: { issuer },
    user: 'eve',
    trackingIds: ['token-1'],
    filters: () => one('JwtValidationFilter', { jwt: BEARER_JWT, ...jwtConfig() })(),
    ask: lines(`X-Jwt: ${jwt}`),
  },
  {
    type: 'JwtValidationFilter',
    facts: {},
    filters: one('JwtValidationFilter', { jwt: BEARER_JWT }),
    ask: lines(`X-Jwt: ${jwt}`),
  },
  {
    type: 'IdTokenValidationFilter',
    facts: { issuer },
    user: 'eve',
    trackingIds: ['token-1'],
    filters: () => one('IdTokenValidationFilter', { idToken: BEARER_JWT, audience: 'me', ...jwtConfig() })(),
    ask: lines(`X-Jwt: ${jwt}`),
  },
  {
    type: 'OAuth2ResourceServerFilter',
    facts: allowedOnce(0)!,
    user: 'kim',
    trackingIds: ['grant-1', 'token-1'],
    filters: introspecting({ iss: issuer, sub: 'kim', jti: 'token-1', auditTrackingId: 'grant-1' }, caching),
    ask: bearing,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    facts: allowedOnce(1)!,
    user: 'kim',
    filters: introspecting({ iss: issuer, sub: 'kim', jti: SECRET }, caching),
    ask: bearing,
    before: 1,
  },
  {
    type: 'OAuth2ResourceServerFilter',
    facts: allowedOnce(1)!,
    filters: async () => {
      const [filter] = (await introspecting({ iss: issuer })()) as [JsonObject];
      const { accessTokenResolver, ...config } = filter['config'] as JsonObject;
      const kept = { type: 'CacheAccessTokenResolver', config: { delegate: accessTokenResolver! } };
      return [{ ...filter, config: { ...config, accessTokenResolver: kept } }];
    },
    ask: bearing,
    before: 1,
  },
  {
    type: 'PolicyEnforcementFilter',
    facts: { server: SERVER, realm: '/', policySet: 'shop', cached: false },
    filters: enforced(allowing({ GET: true })),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'PolicyEnforcementFilter',
    facts: { server: SERVER, realm: '/', policySet: 'shop', cached: true },
    filters: enforced(allowing({ GET: true }), { cache: { enabled: true } }),
    ask: lines(`X-Token: ${SECRET}`),
    before: 1,
  },
  {
    type: 'SessionInfoFilter',
    facts: { server: SERVER, realm: '/customers', cached: false },
    trackingIds: ['uid-1'],
    filters: withSession('SessionInfoFilter', { ssoToken: "${request.headers['X-Token'][0]}" }),
    ask: lines(`X-Token: ${SECRET}`),
  },
  {
    type: 'SingleSignOnFilter',
    facts: { server: SERVER, realm: '/customers', cached: false },
    user: 'demo',
    trackingIds: ['uid-1'],
    filters: withSession('SingleSignOnFilter'),
    ask: lines(`Cookie: ${COOKIE}=${SECRET}`),
  },
];
