/** Types for the usual needs: words that people search for, and the types that they mean, the usual one first. */
export const NEEDS: readonly (readonly [words: readonly string[], types: readonly string[]])[] = [
  [
    ['token', 'tokens', 'bearer', 'oauth', 'oauth2', 'api'],
    ['OAuth2ResourceServerFilter', 'StatelessAccessTokenResolver', 'TokenIntrospectionAccessTokenResolver'],
  ],
  [['jwt'], ['JwtValidationFilter', 'JwtBuilderFilter', 'StatelessAccessTokenResolver']],
  [
    ['sign', 'signin', 'log', 'login', 'oidc', 'openid', 'sso', 'authenticate', 'authentication'],
    [
      'AuthorizationCodeOAuth2ClientFilter',
      'SingleSignOnFilter',
      'CrossDomainSingleSignOnFilter',
      'HttpBasicAuthenticationClientFilter',
    ],
  ],
  [
    ['throttle', 'throttling', 'rate', 'limit', 'quota'],
    ['ThrottlingFilter', 'MappedThrottlingPolicy', 'DefaultRateThrottlingPolicy'],
  ],
  [
    ['proxy', 'forward', 'backend', 'upstream'],
    ['ReverseProxyHandler', 'ClientHandler', 'Backends'],
  ],
  [
    ['balance', 'balancing', 'failover', 'health', 'canary'],
    ['Backends', 'SplitHandler'],
  ],
  [
    ['rewrite', 'redirect', 'path'],
    ['UriPathRewriteFilter', 'LocationHeaderFilter', 'StaticRequestFilter'],
  ],
  [
    ['header', 'headers'],
    ['HeaderFilter', 'ForwardedRequestFilter'],
  ],
  [
    ['cookie', 'cookies'],
    ['CookieFilter', 'SetCookieUpdateFilter'],
  ],
  [
    ['script', 'groovy', 'javascript', 'code'],
    ['ScriptableFilter', 'ScriptableHandler'],
  ],
  [
    ['deny', 'block', 'allow', 'authorise', 'authorize', 'policy', 'firewall', 'ip'],
    ['AllowOnlyFilter', 'ConditionEnforcementFilter', 'PolicyEnforcementFilter'],
  ],
  [
    ['retry', 'retries', 'breaker', 'resilience', 'circuit'],
    ['CircuitBreakerFilter', 'ReverseProxyHandler'],
  ],
  [
    ['password', 'secret', 'secrets', 'key', 'keys'],
    ['FileSystemSecretStore', 'SystemAndEnvSecretStore'],
  ],
  [
    ['tls', 'certificate', 'https'],
    ['ClientTlsOptions', 'SecretsTrustManager', 'SecretsKeyManager'],
  ],
  [['session'], ['AuthenticatedEncryptedJwtSessionManager', 'InMemorySessionManager']],
  [
    ['audit', 'record'],
    ['AuditFilter', 'AuditService'],
  ],
  [
    ['cors', 'origin', 'browser'],
    ['CorsFilter', 'CsrfFilter'],
  ],
  [
    ['static', 'answer', 'page', 'error'],
    ['StaticResponseHandler', 'ResourceHandler'],
  ],
  [
    ['branch', 'choose', 'switch', 'if'],
    ['DispatchHandler', 'SwitchFilter', 'ConditionalFilter'],
  ],
];
