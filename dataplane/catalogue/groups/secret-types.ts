import type { TypeDefinition } from '../../heap/definition.ts';
import { base64EncodedSecretStore } from '../../secrets/base64-encoded-secret-store.ts';
import { fileSystemSecretStore } from '../../secrets/file-system-secret-store.ts';
import { jwkPropertyFormat } from '../../secrets/jwk-property-format.ts';
import { jwkSetSecretStore } from '../../secrets/jwk-set-secret-store.ts';
import { keyStoreSecretStore } from '../../secrets/key-store-secret-store.ts';
import { pemPropertyFormat } from '../../secrets/pem-property-format.ts';
import { secretKeyPropertyFormat } from '../../secrets/secret-key-property-format.ts';
import { secretsKeyManager } from '../../secrets/secrets-key-manager.ts';
import { secretsTrustManager } from '../../secrets/secrets-trust-manager.ts';
import { systemAndEnvSecretStore } from '../../secrets/system-and-env-secret-store.ts';
import { trustAllManager } from '../../secrets/trust-all-manager.ts';
import { clientTlsOptions } from '../../tls/options/client-tls-options.ts';
import { serverTlsOptions } from '../../tls/options/server-tls-options.ts';
import { tlsOptions } from '../../tls/options/tls-options.ts';

/** Stores of secrets, and TLS with them. */
export const secretTypes: readonly TypeDefinition[] = [
  base64EncodedSecretStore,
  clientTlsOptions,
  fileSystemSecretStore,
  jwkPropertyFormat,
  jwkSetSecretStore,
  keyStoreSecretStore,
  pemPropertyFormat,
  secretKeyPropertyFormat,
  secretsKeyManager,
  secretsTrustManager,
  serverTlsOptions,
  systemAndEnvSecretStore,
  tlsOptions,
  trustAllManager,
];
