/** Whether objects of a type run in a dry run; a text says why they do not. */
export type DryRunRule = 'runs' | { readonly reason: string };

const CALLS = 'it calls another server';
const SESSION = 'it needs the session of the client, which a dry run does not open';
const SCRIPT = 'it runs a script, which may do anything';
const CREDENTIALS = 'it sends credentials of the gateway';
const FILES = 'it reads files';

const not = (reason: string): DryRunRule => ({ reason });

/** Filters. A type runs only if it changes nothing but the exchange, or if it knows of dry runs. */
const FILTERS: Readonly<Record<string, DryRunRule>> = {
  AllowOnlyFilter: 'runs',
  AmSessionIdleTimeoutFilter: not(SESSION),
  AssignmentFilter: 'runs',
  AuditFilter: not('it writes audit events'),
  AuthorizationCodeOAuth2ClientFilter: not(SESSION),
  CaptureFilter: not('it writes messages to a log'),
  CertificateThumbprintFilter: not('a dry run has no client certificate'),
  ChainOfFilters: 'runs',
  CircuitBreakerFilter: 'runs',
  ClientCredentialsOAuth2ClientFilter: not(CALLS),
  ClientSecretBasicAuthenticationFilter: not(CREDENTIALS),
  ClientSecretPostAuthenticationFilter: not(CREDENTIALS),
  ConditionEnforcementFilter: 'runs',
  ConditionalFilter: 'runs',
  CookieFilter: not(SESSION),
  CorsFilter: 'runs',
  CrossDomainSingleSignOnFilter: not(CALLS),
  CsrfFilter: not(SESSION),
  DateHeaderFilter: 'runs',
  EncryptedPrivateKeyJwtClientAuthenticationFilter: not(CREDENTIALS),
  EntityExtractFilter: 'runs',
  FileAttributesFilter: not(FILES),
  ForwardedRequestFilter: 'runs',
  FragmentFilter: not('its answer depends on earlier requests of the browser'),
  HeaderFilter: 'runs',
  HttpBasicAuthFilter: not(CREDENTIALS),
  HttpBasicAuthenticationClientFilter: not(CREDENTIALS),
  IdTokenValidationFilter: 'runs',
  JwtBuilderFilter: 'runs',
  JwtValidationFilter: 'runs',
  LocationHeaderFilter: 'runs',
  MirrorFilter: not('it sends a copy of the request'),
  OAuth2ResourceServerFilter: 'runs',
  OAuth2TokenExchangeFilter: not(CALLS),
  PasswordReplayFilter: not(CREDENTIALS),
  PolicyEnforcementFilter: not(CALLS),
  PrivateKeyJwtClientAuthenticationFilter: not(CREDENTIALS),
  ResourceOwnerOAuth2ClientFilter: not(CALLS),
  ScriptableFilter: not(SCRIPT),
  SessionInfoFilter: not(CALLS),
  SetCookieUpdateFilter: 'runs',
  SingleSignOnFilter: not(CALLS),
  StaticRequestFilter: 'runs',
  SwitchFilter: 'runs',
  ThrottlingFilter: 'runs',
  TransactionIdOutboundFilter: 'runs',
  UriPathRewriteFilter: 'runs',
  UserProfileFilter: not(CALLS),
};

/** Handlers. The answer of one that does not run is an empty 200. */
const HANDLERS: Readonly<Record<string, DryRunRule>> = {
  Chain: 'runs',
  ClientHandler: not('a dry run calls no backend'),
  Delegate: 'runs',
  DispatchHandler: 'runs',
  JwkSetHandler: 'runs',
  ResourceHandler: not(FILES),
  ReverseProxyHandler: not('a dry run calls no backend'),
  Router: 'runs',
  ScriptableHandler: not(SCRIPT),
  SequenceHandler: not('it sends requests one after the other, by their answers'),
  SplitHandler: not('it chooses a handler by chance'),
  StaticResponseHandler: 'runs',
  WelcomeHandler: 'runs',
};

/** Objects that filters use. One that runs is the one that serves, unless it knows of dry runs. */
const SERVICES: Readonly<Record<string, DryRunRule>> = {
  Base64EncodedSecretStore: 'runs',
  CacheAccessTokenResolver: 'runs',
  Clock: 'runs',
  ConfirmationKeyVerifierAccessTokenResolver: not('it remembers the proofs of clients'),
  DefaultRateThrottlingPolicy: 'runs',
  FileSystemSecretStore: 'runs',
  JwkPropertyFormat: 'runs',
  JwkSetSecretStore: 'runs',
  KeyStoreSecretStore: 'runs',
  MappedThrottlingPolicy: 'runs',
  PemPropertyFormat: 'runs',
  ScheduledExecutorService: 'runs',
  ScriptableAccessTokenResolver: not(SCRIPT),
  ScriptableJwtValidatorCustomizer: not(SCRIPT),
  ScriptableResourceAccess: not(SCRIPT),
  ScriptableThrottlingPolicy: not(SCRIPT),
  SecretKeyPropertyFormat: 'runs',
  SecretsProvider: 'runs',
  StatelessAccessTokenResolver: 'runs',
  SystemAndEnvSecretStore: 'runs',
  TemporaryStorage: 'runs',
  TokenIntrospectionAccessTokenResolver: not('it asks the authorization server'),
};

const RULES: Readonly<Record<string, DryRunRule>> = { ...FILTERS, ...HANDLERS, ...SERVICES };

/** Returns the rule of a type; a type without one does not run. */
export function dryRunRule(type: string): DryRunRule {
  return Object.hasOwn(RULES, type) ? RULES[type]! : not('its type is not known to dry runs');
}

/** Types with a rule. */
export const dryRunTypes: readonly string[] = Object.keys(RULES);
