import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { KeyManager, TrustManager } from '../heap/objects/secrets.ts';
import type { ClientCredentials, ClientTls } from '../heap/objects/tls.ts';
import { type ContextParts, fingerprint, joinedTrust, withContextOptions } from './context-options.ts';
import type { TlsRules } from './options/tls-rules.ts';
import { portableTls } from './portable-tls.ts';
import { Renewed } from './renewed.ts';
import { shownCertificates } from './shown-certificates.ts';

/** Parts of the TLS to backends. */
export interface ClientTlsParts {
  readonly keyManagers: readonly KeyManager[];
  /** None for the authorities of the platform. */
  readonly trustManagers: readonly TrustManager[];
  readonly rules: TlsRules;
  readonly alpn: boolean;
  readonly checksNames: boolean;
  readonly log: Logger;
  onClose(release: () => void): void;
}

interface Made extends ClientCredentials {
  readonly fingerprint: string;
}

/** TLS to backends by key and trust managers, whose changes count for new connections. */
export function clientTls(parts: ClientTlsParts): ClientTls {
  const { keyManagers, trustManagers, rules, alpn, checksNames, log } = parts;
  const managers = [...keyManagers, ...trustManagers];

  async function contextParts(): Promise<ContextParts> {
    const keys = (await Promise.all(keyManagers.map((manager) => manager.keys()))).flat();
    const trust = joinedTrust(await Promise.all(trustManagers.map((manager) => manager.trust())));
    return { rules, keys, trust };
  }

  const renewed = new Renewed<Made>(async (before) => {
    const context = await contextParts();
    const { keys, trust } = context;
    const print = fingerprint(context, 'client');
    if (before?.fingerprint === print) return before;
    if (before !== null) {
      const authorities = trust?.certificates.length;
      log.info(
        { certificates: shownCertificates(keys), authorities },
        'TLS keys and CA certificates for backends reloaded',
      );
    }
    return { context: sharedContext(print, context), trustsAll: trust?.everything ?? false, fingerprint: print };
  });
  for (const manager of managers) parts.onClose(manager.watch(renewed.changed));
  return {
    alpn,
    checksNames,
    usesClientCertificate: keyManagers.length > 0,
    credentials: () => renewed.current(),
    portable: async () => portableTls(await contextParts(), checksNames),
    watch(listener) {
      const ends = managers.map((manager) => manager.watch(listener));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Contexts by what they are made of: many handlers have the same, and one holds all authorities of the platform. */
const contexts = new Map<string, WeakRef<SecureContext>>();

function sharedContext(print: string, parts: ContextParts): SecureContext {
  const known = contexts.get(print)?.deref();
  if (known !== undefined) return known;
  for (const [other, reference] of contexts) if (reference.deref() === undefined) contexts.delete(other);
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  const made = withContextOptions(parts, (options) => createSecureContext({ ...options, secureOptions }));
  contexts.set(print, new WeakRef(made));
  return made;
}
