/** Types that users of OpenIG know and that do not exist here yet: told apart from mistakes. */
export const unavailableTypes: readonly string[] = [
  // handlers
  'DesKeyGenHandler',
  'IdentityAssertionHandler',
  'MonitorEndpointHandler',
  'MQ_IBM',
  'MQ_Kafka',
  'SamlFederationHandler',
  // filters
  'CapturedUserPasswordFilter',
  'CryptoHeaderFilter',
  'DataPreservationFilter',
  'FapiInteractionIdFilter',
  'GrantSwapJwtAssertionOAuth2ClientFilter',
  'ICAP',
  'LLMPromptGuardFilter',
  'LLMProxyFilter',
  'MCPServerFeaturesFilter',
  'OpenApiValidationFilter',
  'SamlFederationFilter',
  'SqlAttributesFilter',
  'TokenTransformationFilter',
  'UmaFilter',
  // tokens, policies, throttling
  'IssuerRepository',
  'OpenAmAccessTokenResolver',
  'ScriptableIdentityAssertionPlugin',
  'UmaService',
  // secrets and TLS
  'HsmSecretStore',
  'KeyManager',
  'KeyStore',
  'TrustManager',
  // the rest
  'ConsoleLogSink',
  'FileLogSink',
  'JdbcDataSource',
  'NullLogSink',
  'Slf4jLogSink',
];

const LOG_IS_OF_THE_PROGRAM =
  "the program writes its log to the standard error; '--log-level' says how much, and '--log-format' in which form";

/** Objects of earlier versions that can be left out, and why. */
export const relics: ReadonlyMap<string, string> = new Map([
  ['ConsoleLogSink', LOG_IS_OF_THE_PROGRAM],
  ['FileLogSink', LOG_IS_OF_THE_PROGRAM],
  ['NullLogSink', LOG_IS_OF_THE_PROGRAM],
  ['Slf4jLogSink', LOG_IS_OF_THE_PROGRAM],
]);

const KEYS_OF_PEM_FILES = 'a SecretsKeyManager with a FileSystemSecretStore takes keys and certificates from PEM files';

/** Replacements for some of them. */
export const availableInstead: ReadonlyMap<string, string> = new Map([
  [
    'HsmSecretStore',
    'hardware modules are reached through PKCS#11, which this runtime does not have: a KeyStoreSecretStore or a ' +
      'FileSystemSecretStore reads keys of files, which a secrets operator can put in place from the module',
  ],
  [
    'CapturedUserPasswordFilter',
    'the form of passwords that an access manager captures is not published: sign on with a SingleSignOnFilter, and ' +
      'give the application the user name in a header instead of the password',
  ],
  ['KeyManager', KEYS_OF_PEM_FILES],
  ['KeyStore', 'a KeyStoreSecretStore reads keystores, and a SecretsKeyManager or SecretsTrustManager takes from it'],
  ['MonitorEndpointHandler', 'the admin port shows the metrics of every route, at /metrics and /openig/metrics/api'],
  [
    'TokenTransformationFilter',
    'security token services of access managers are not asked: an OAuth2TokenExchangeFilter exchanges tokens (RFC 8693)',
  ],
  [
    'TrustManager',
    'a SecretsTrustManager with a FileSystemSecretStore takes certificates to be trusted from PEM files',
  ],
]);
