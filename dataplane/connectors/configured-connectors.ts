import type { AdminSettings } from '../../contract/admin-settings.ts';
import { timeUnits } from '../../contract/vertx-options.ts';
import type { ListenerLimits } from '../engine/head/limits.ts';
import type { WebSocketOptions } from '../engine/message/websocket-terms.ts';
import type { CertificateFiles } from './certificate-files.ts';
import type { Connector } from './connector.ts';

/** Where clients are accepted when `admin.json` does not say. */
const DEFAULT_PORT = 8080;
/** Bytes of a request line where nobody says. */
const REQUEST_LINE = 8192;
/** As good as no limit for a time, in milliseconds. */
const FOREVER = 2 ** 45;

type ConnectorSettings = NonNullable<AdminSettings['connectors']>[number];
type VertxSettings = Partial<NonNullable<ConnectorSettings['vertx']>>;

/** Options that override the settings. */
export interface ConnectorOverrides {
  /** Undefined for every interface. */
  readonly host: string | undefined;
  /** The ports instead of those of the connectors, in their order; undefined for their own. */
  readonly ports: readonly number[] | undefined;
  readonly limits: Partial<ListenerLimits>;
  /** One more connector, with TLS, whose certificate is in files. */
  readonly secure?: SecureConnector | undefined;
}

/** A connector with TLS that is not one of `admin.json`. */
export interface SecureConnector {
  readonly port: number;
  readonly files: CertificateFiles;
}

/** How many connectors these settings have. */
export function connectorCount({ connectors }: AdminSettings): number {
  return connectors?.length ?? 1;
}

/** The connectors of `admin.json` as the engine opens them, and behind them the one of the command line. */
export function configuredConnectors(settings: AdminSettings, overrides: ConnectorOverrides): readonly Connector[] {
  const connectors: readonly ConnectorSettings[] = settings.connectors ?? [{ port: DEFAULT_PORT }];
  const configured = connectors.map(
    ({ port, tls, halfClose, missingHost, vertx = {} }, at): Connector => ({
      scheme: tls === undefined ? 'http' : 'https',
      host: overrides.host,
      port: overrides.ports?.[at] ?? port,
      limits: {
        ...requestLimits(settings),
        ...(halfClose === undefined ? {} : { halfClose }),
        ...(missingHost === undefined ? {} : { missingHost }),
        ...vertxLimits(vertx),
        ...http2Limits(vertx, tls !== undefined),
        ...overrides.limits,
      },
      webSockets: webSocketOptions(vertx),
      backlog: vertx.acceptBacklog !== undefined && vertx.acceptBacklog > 0 ? vertx.acceptBacklog : undefined,
    }),
  );
  const { host, secure, limits } = overrides;
  if (secure === undefined) return configured;
  return [...configured, { scheme: 'https', host, ...secure, limits: { ...requestLimits(settings), ...limits } }];
}

/** The connector of the command line has a port for itself. @returns what is wrong with the port, or null */
export function securePortProblem(settings: AdminSettings, { ports, secure }: ConnectorOverrides): string | null {
  if (secure === undefined || secure.port === 0) return null;
  const others = ports ?? settings.connectors?.map(({ port }) => port) ?? [DEFAULT_PORT];
  const at = others.indexOf(secure.port);
  return at < 0 ? null : `--tls-port ${secure.port} is the port of connectors[${at}] already`;
}

function requestLimits({ maxBodyLength, preserveOriginalQueryString }: AdminSettings): Partial<ListenerLimits> {
  return {
    queries: preserveOriginalQueryString ? 'refuse' : 'encode',
    ...(maxBodyLength === undefined ? {} : { bodyBytes: maxBodyLength }),
  };
}

function webSocketOptions(vertx: VertxSettings): WebSocketOptions {
  const { webSocketSubProtocols: subprotocols } = vertx;
  const { perMessageWebSocketCompressionSupported: perMessageCompression } = vertx;
  const { perFrameWebSocketCompressionSupported: perFrameCompression } = vertx;
  return {
    ...(subprotocols === undefined ? {} : { subprotocols }),
    ...(perMessageCompression === undefined ? {} : { perMessageCompression }),
    ...(perFrameCompression === undefined ? {} : { perFrameCompression }),
  };
}

function vertxLimits(vertx: VertxSettings): Partial<ListenerLimits> {
  const { maxInitialLineLength, maxTotalHeadersSize, maxHeaderSize, idleTimeout, idleTimeoutUnit = 'SECONDS' } = vertx;
  const { maxWebSocketFrameSize, maxWebSocketMessageSize, webSocketClosingTimeout } = vertx;
  const { sslHandshakeTimeout, sslHandshakeTimeoutUnit = 'SECONDS' } = vertx;
  const headers = maxTotalHeadersSize ?? maxHeaderSize ?? vertx.initialSettings?.maxHeaderListSize;
  return {
    ...(maxInitialLineLength === undefined ? {} : { targetBytes: maxInitialLineLength }),
    // the engine counts the request line as part of the head
    ...(headers === undefined
      ? {}
      : { headerBytes: headers, headBytes: headers + (maxInitialLineLength ?? REQUEST_LINE) }),
    ...(idleTimeout === undefined
      ? {}
      : { idleTimeout: idleTimeout === 0 ? FOREVER : Math.ceil(idleTimeout * timeUnits[idleTimeoutUnit]) }),
    ...(sslHandshakeTimeout === undefined
      ? {}
      : { handshakeTimeout: Math.max(100, Math.ceil(sslHandshakeTimeout * timeUnits[sslHandshakeTimeoutUnit])) }),
    ...(maxWebSocketFrameSize === undefined ? {} : { webSocketFrameBytes: maxWebSocketFrameSize }),
    ...(maxWebSocketMessageSize === undefined ? {} : { webSocketMessageBytes: maxWebSocketMessageSize }),
    ...(webSocketClosingTimeout === undefined ? {} : { webSocketClosingTimeout: webSocketClosingTimeout * 1000 }),
  };
}

/** The time in which the engine counts requests that are taken back, in milliseconds. */
const RESETS_TIME = 10_000;

function http2Limits(vertx: VertxSettings, isSecure: boolean): Partial<ListenerLimits> {
  const { useAlpn = true, alpnVersions, http2ClearTextEnabled = true, initialSettings = {} } = vertx;
  const { http2RstFloodMaxRstFramePerWindow: resets, http2RstFloodWindowDuration: time = 30 } = vertx;
  const { http2RstFloodWindowDurationTimeUnit: unit = 'SECONDS' } = vertx;
  const isChosen = useAlpn && alpnVersions?.includes('HTTP_2') !== false;
  const { maxConcurrentStreams } = initialSettings;
  return {
    ...((isSecure ? isChosen : http2ClearTextEnabled) ? {} : { http2: false }),
    ...(maxConcurrentStreams === undefined ? {} : { streams: maxConcurrentStreams }),
    ...(resets === undefined ? {} : { streamResets: Math.ceil((resets * RESETS_TIME) / (time * timeUnits[unit])) }),
  };
}
