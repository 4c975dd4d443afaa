import type { Parts, Remark } from '../heap/definition.ts';
import type { ClientTls } from '../heap/objects/tls.ts';
import { clientTls } from '../tls/client-credentials.ts';
import { allOf, verifierRemarks } from '../tls/options/tls-fields.ts';
import { tlsRules } from '../tls/options/tls-rules.ts';
import type { SenderConfig } from './sender-fields.ts';
import { deprecatedTlsFields } from './tls-fields.ts';

type DeprecatedName = keyof typeof deprecatedTlsFields;
type TlsConfig = Pick<SenderConfig, 'tls' | DeprecatedName>;

const deprecatedNames = Object.keys(deprecatedTlsFields) as DeprecatedName[];

/** The TLS of a handler: its `tls`, or what the deprecated fields say, or that of the platform. */
export function handlerTls(config: SenderConfig, parts: Parts): ClientTls {
  const tls = config.tls === undefined ? ownTls(config, parts) : parts.resolve(config.tls);
  return withNames(config.hostnameVerifier, tls);
}

/** The TLS of its WebSockets: what `websocket` says about it, or that of the handler. */
export function webSocketTls(
  { websocket, hostnameVerifier }: SenderConfig,
  parts: Parts,
  handler: ClientTls,
): ClientTls {
  if (websocket.tls === undefined && !deprecatedNames.some((name) => websocket[name] !== undefined)) return handler;
  return withNames(
    hostnameVerifier,
    websocket.tls === undefined ? ownTls(websocket, parts) : parts.resolve(websocket.tls),
  );
}

function ownTls(config: TlsConfig, { resolve, onClose, log }: Parts): ClientTls {
  return clientTls({
    keyManagers: allOf(config.keyManager).map((one) => resolve(one)),
    trustManagers: allOf(config.trustManager).map((one) => resolve(one)),
    rules: tlsRules(config),
    alpn: true,
    checksNames: true,
    log,
    onClose,
  });
}

/** The verifier of the handler is deprecated, and wins. */
function withNames(verifier: SenderConfig['hostnameVerifier'], tls: ClientTls): ClientTls {
  if (verifier === undefined) return tls;
  const { alpn, usesClientCertificate } = tls;
  const checksNames = verifier === 'STRICT';
  return {
    alpn,
    usesClientCertificate,
    checksNames,
    credentials: () => tls.credentials(),
    portable: async () => ({ ...(await tls.portable()), checksNames }),
    watch: (listener) => tls.watch(listener),
  };
}

/** Remarks on TLS fields that have no effect or are not supported. */
export function tlsRemarks(config: SenderConfig): readonly Remark[] {
  return [
    ...remarksOn(config, []),
    ...remarksOn(config.websocket, ['websocket']),
    ...verifierRemarks(config.hostnameVerifier),
  ];
}

function remarksOn(config: TlsConfig, at: readonly string[]): Remark[] {
  if (config.tls === undefined) return [];
  return deprecatedNames
    .filter((name) => config[name] !== undefined)
    .map((name) => ({ at: [...at, name], code: 'no-effect', message: "has no effect: 'tls' wins over it" }));
}
