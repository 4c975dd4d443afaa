import { describe, expect, it } from 'vitest';
import { adminSettings } from '../../../contract/admin-settings.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import {
  type ConnectorOverrides,
  configuredConnectors,
  connectorCount,
} from '../../../dataplane/connectors/configured-connectors.ts';
import { listenerLimits } from '../../../dataplane/engine/head/limits.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';

const none: ConnectorOverrides = { host: undefined, ports: undefined, limits: {} };

function settingsOf(document: JsonObject) {
  const { value, problems } = parseConfig(
    adminSettings,
    document,
    documentReading(noReach, [], () => {}),
    [],
  );
  if (value === undefined) throw new Error(JSON.stringify(problems));
  return value;
}

function connectors(document: JsonObject, overrides: Partial<ConnectorOverrides> = {}) {
  return configuredConnectors(settingsOf(document), { ...none, ...overrides });
}

describe('connectors', () => {
  it('default to one at port 8080', () => {
    expect(connectorCount(settingsOf({}))).toBe(1);
    expect(connectors({})).toEqual([
      {
        scheme: 'http',
        host: undefined,
        port: 8080,
        limits: { queries: 'encode' },
        webSockets: {},
        backlog: undefined,
      },
    ]);
  });

  it('allow half-close each, and the command line overrides them', () => {
    const document = { connectors: [{ port: 1, halfClose: true }, { port: 2 }] };
    expect(connectors(document).map(({ limits }) => limits.halfClose)).toEqual([true, undefined]);
    const overridden = connectors(document, { limits: { halfClose: false } });
    expect(overridden.map(({ limits }) => limits.halfClose)).toEqual([false, false]);
  });

  it('have each their port and scheme, and the ports and the host of the command line go before', () => {
    const document = { connectors: [{ port: 1 }, { port: 2, tls: 'keys' }] };
    expect(connectorCount(settingsOf(document))).toBe(2);
    expect(connectors(document)).toMatchObject([
      { scheme: 'http', port: 1 },
      { scheme: 'https', port: 2 },
    ]);
    expect(connectors(document, { host: '::1', ports: [0, 3] })).toMatchObject([
      { host: '::1', port: 0 },
      { host: '::1', port: 3 },
    ]);
  });

  it.each<[JsonObject, object]>([
    [{ maxInitialLineLength: 100 }, { targetBytes: 100 }],
    [{ maxTotalHeadersSize: 1000 }, { headerBytes: 1000, headBytes: 9192 }],
    [{ maxHeaderSize: 1000 }, { headerBytes: 1000, headBytes: 9192 }],
    [
      { maxHeaderSize: 1000, maxTotalHeadersSize: 2000, maxInitialLineLength: 100 },
      { headerBytes: 2000, headBytes: 2100, targetBytes: 100 },
    ],
    [{ idleTimeout: 5 }, { idleTimeout: 5000 }],
    [{ idleTimeout: '5', idleTimeoutUnit: 'MINUTES' }, { idleTimeout: 300_000 }],
    [{ idleTimeout: 1, idleTimeoutUnit: 'NANOSECONDS' }, { idleTimeout: 1 }],
    [{ idleTimeout: 0 }, { idleTimeout: 2 ** 45 }],
    [{ sslHandshakeTimeout: 3 }, { handshakeTimeout: 3000 }],
    [{ sslHandshakeTimeout: 3, sslHandshakeTimeoutUnit: 'MILLISECONDS' }, { handshakeTimeout: 100 }],
    [{ http2ClearTextEnabled: false }, { http2: false }],
    [{ http2ClearTextEnabled: true, useAlpn: false }, {}],
    [{ initialSettings: { maxConcurrentStreams: 7 } }, { streams: 7 }],
    [{ initialSettings: { maxHeaderListSize: 1000 } }, { headerBytes: 1000, headBytes: 9192 }],
    [{ http2RstFloodMaxRstFramePerWindow: 300 }, { streamResets: 100 }],
    [{ http2RstFloodMaxRstFramePerWindow: 300, http2RstFloodWindowDuration: 5 }, { streamResets: 600 }],
    [{ maxWebSocketFrameSize: 7 }, { webSocketFrameBytes: 7 }],
    [{ maxWebSocketMessageSize: 8 }, { webSocketMessageBytes: 8 }],
    [{ webSocketClosingTimeout: 9 }, { webSocketClosingTimeout: 9000 }],
  ])('with %j hold clients to %j', (vertx, limits) => {
    const [connector, other] = connectors({ connectors: [{ port: 1, vertx }, { port: 2 }] });
    expect(connector?.limits).toEqual({ queries: 'encode', ...limits });
    expect(other?.limits).toEqual({ queries: 'encode' });
    expect(listenerLimits.partial().safeParse(connector?.limits).success).toBe(true);
  });

  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ useAlpn: true, http2ClearTextEnabled: false }, true],
    [{ useAlpn: false }, false],
    [{ alpnVersions: ['HTTP_2', 'HTTP_1_1'] }, true],
    [{ alpnVersions: ['http_1_1'] }, false],
  ])('over TLS with %j: HTTP/2 %j', (vertx, http2) => {
    const [connector] = connectors({ connectors: [{ port: 1, tls: 'keys', vertx }] });
    expect(connector?.limits.http2 ?? true).toBe(http2);
  });

  it('accept requests without a host only if configured', () => {
    const ways = connectors({ connectors: [{ port: 8080, missingHost: true }, { port: 8081 }] });
    expect(ways.map(({ limits }) => listenerLimits.parse(limits).missingHost)).toEqual([true, false]);
  });

  it('configure the allowed WebSockets', () => {
    const vertx = {
      webSocketSubProtocols: 'chat, news',
      perMessageWebSocketCompressionSupported: false,
      perFrameWebSocketCompressionSupported: true,
    };
    expect(connectors({ connectors: [{ port: 1, vertx }] })[0]?.webSockets).toEqual({
      subprotocols: ['chat', 'news'],
      perMessageCompression: false,
      perFrameCompression: true,
    });
  });

  it.each([
    [-1, undefined],
    [0, undefined],
    [17, 17],
  ])('with an acceptBacklog of %i queue %s', (acceptBacklog, backlog) => {
    expect(connectors({ connectors: [{ port: 1, vertx: { acceptBacklog } }] })[0]?.backlog).toBe(backlog);
  });

  it('share the request settings, and the command line overrides them', () => {
    const document = {
      maxBodyLength: 10,
      preserveOriginalQueryString: true,
      connectors: [{ port: 1 }, { port: 2, vertx: { idleTimeout: 1 } }],
    };
    expect(connectors(document).map(({ limits }) => limits)).toEqual([
      { bodyBytes: 10, queries: 'refuse' },
      { bodyBytes: 10, queries: 'refuse', idleTimeout: 1000 },
    ]);
    expect(connectors(document, { limits: { bodyBytes: 5, idleTimeout: 7 } }).map(({ limits }) => limits)).toEqual([
      { bodyBytes: 5, queries: 'refuse', idleTimeout: 7 },
      { bodyBytes: 5, queries: 'refuse', idleTimeout: 7 },
    ]);
  });
});
