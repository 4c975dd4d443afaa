import type { Kind } from '../../contract/vocabulary/reference.ts';
import type { Filter, Next } from '../engine/message/exchange.ts';
import type { AccessTokenResolver, ResourceAccess } from './objects/access-tokens.ts';
import type { AmService } from './objects/am-service.ts';
import type { AuditService } from './objects/audit-service.ts';
import type { Backends } from './objects/backends.ts';
import type { Decorator } from './objects/decorator.ts';
import type { Executor } from './objects/executor.ts';
import type { JwtValidatorCustomizer } from './objects/jwt-validator-customizer.ts';
import type { ClientRegistration, Issuer } from './objects/openid-client.ts';
import type { ProxyOptions } from './objects/proxy-options.ts';
import type { ResourceUriProvider } from './objects/resource-uri-provider.ts';
import type { KeyManager, PropertyFormat, SecretStore, SecretsProvider, TrustManager } from './objects/secrets.ts';
import type { SessionManager } from './objects/sessions.ts';
import type { TemporaryStorage } from './objects/temporary-storage.ts';
import type { ThrottlingPolicy } from './objects/throttling.ts';
import type { ClientTls, ServerTls } from './objects/tls.ts';
import type { UserProfiles } from './objects/user-profiles.ts';

/** Built object behind a reference, by kind. */
export interface Built {
  handler: Next;
  filter: Filter;
  decorator: Decorator;
  executor: Executor;
  temporaryStorage: TemporaryStorage;
  /** Milliseconds since 1970. */
  clock: () => number;
  secretsProvider: SecretsProvider;
  secretStore: SecretStore;
  propertyFormat: PropertyFormat;
  keyManager: KeyManager;
  trustManager: TrustManager;
  backends: Backends;
  proxyOptions: ProxyOptions;
  tlsOptions: ClientTls;
  serverTlsOptions: ServerTls;
  accessTokenResolver: AccessTokenResolver;
  resourceAccess: ResourceAccess;
  amService: AmService;
  auditService: AuditService;
  resourceUriProvider: ResourceUriProvider;
  jwtValidatorCustomizer: JwtValidatorCustomizer;
  issuer: Issuer;
  clientRegistration: ClientRegistration;
  throttlingPolicy: ThrottlingPolicy;
  sessionManager: SessionManager;
  userProfileService: UserProfiles;
  any: unknown;
}

/** Kinds of which this version has types. */
export type BuiltKind = keyof Built & Kind;
