import type { Kind } from '../../contract/vocabulary/reference.ts';
import type { Filter, Next } from '../http/exchange.ts';
import type { AccessTokenResolver, ResourceAccess } from './access-tokens.ts';
import type { AmService } from './am-service.ts';
import type { Decorator } from './decorator.ts';
import type { Executor } from './executor.ts';
import type { ProxyOptions } from './proxy-options.ts';
import type { KeyManager, PropertyFormat, SecretStore, SecretsProvider, TrustManager } from './secrets.ts';
import type { TemporaryStorage } from './temporary-storage.ts';
import type { ThrottlingPolicy } from './throttling.ts';
import type { ClientTls, ServerTls } from './tls.ts';

/** What stands behind a reference of each kind, once it is built. */
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
  proxyOptions: ProxyOptions;
  tlsOptions: ClientTls;
  serverTlsOptions: ServerTls;
  accessTokenResolver: AccessTokenResolver;
  resourceAccess: ResourceAccess;
  amService: AmService;
  throttlingPolicy: ThrottlingPolicy;
  any: unknown;
}

/** Kinds of which this version has types. */
export type BuiltKind = keyof Built & Kind;
