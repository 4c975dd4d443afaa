import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { vertxServerOptions } from '../../../../contract/vertx-options.ts';
import { parseConfig } from '../../../../contract/vocabulary/parse-config.ts';
import { documentReading } from '../../../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../../support/gateways/operator-reach.ts';
import { problemsOf } from '../../../support/gateways/served.ts';

const AS_THEY_ARE = 'frames are passed on as they are, and the client and the backend agree on their compression';

describe('vertx of a handler’s websocket', () => {
  const at = 'handler.config.websocket.vertx';
  it.each<[JsonObject, string[]]>([
    [{ tryUsePerMessageWebSocketCompression: false, tryUsePerFrameWebSocketCompression: 'false' }, []],
    [{ maxWebSocketFrameSize: 65_536, maxWebSocketMessageSize: 262_144, webSocketClosingTimeout: 0 }, []],
    [{ maxWebSocketFrameSize: 0 }, [`value ${at}.maxWebSocketFrameSize: must be at least 1, not 0`]],
    [{ maxWebSocketMessageSize: -1 }, [`value ${at}.maxWebSocketMessageSize: must be at least 1, not -1`]],
    [{ webSocketClosingTimeout: -1 }, [`value ${at}.webSocketClosingTimeout: must be at least 0, not -1`]],
    [
      { tryUsePerFrameWebSocketCompression: 'perhaps' },
      [`value ${at}.tryUsePerFrameWebSocketCompression: must be true or false, not 'perhaps'`],
    ],
    [{ webSocketCompressionLevel: 6 }, [`no-effect ${at}.webSocketCompressionLevel: has no effect: ${AS_THEY_ARE}`]],
    [
      { tryUseWebSocketCompression: true },
      [`unknown-field ${at}.tryUseWebSocketCompression: there is no field 'tryUseWebSocketCompression' here`],
    ],
  ])('with %j has the expected problems', (vertx, problems) => {
    const config = { websocket: { enabled: true, vertx } };
    expect(problemsOf({ type: 'ReverseProxyHandler', config })).toEqual(problems);
  });

  it.each(['ssl', 'port', 'connectTimeout', 'idleTimeout'])('refuses %s, as that of the handler does', (name) => {
    const problems = problemsOf({ type: 'ReverseProxyHandler', config: { websocket: { vertx: { [name]: 1 } } } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${at}.${name}: `);
  });
});

describe('vertx of a connector', () => {
  const read = (vertx: JsonObject) =>
    parseConfig(
      vertxServerOptions,
      vertx,
      documentReading(operatorReach(), [vertx], () => {}),
      [],
    );

  it.each<[unknown, readonly string[]]>([
    ['chat, soap,', ['chat', 'soap']],
    ['chat', ['chat']],
    [
      ['chat', ' soap '],
      ['chat', 'soap'],
    ],
    [[], []],
    ["${split('chat,soap', ',')}", ['chat', 'soap']],
    [["${'chat'}"], ['chat']],
  ])('webSocketSubProtocols: %j', (given, expected) => {
    const { value, problems } = read({ webSocketSubProtocols: given } as JsonObject);
    expect(problems).toEqual([]);
    expect(value!.webSocketSubProtocols).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [7, 'must be an array of strings, not a number'],
    [['chat', 7], 'must be a string, not a number'],
  ])('webSocketSubProtocols: %j is refused', (given, message) => {
    expect(read({ webSocketSubProtocols: given } as JsonObject).problems).toMatchObject([{ message }]);
  });
});
