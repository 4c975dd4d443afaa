import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  ScriptedBackend,
  type ScriptedPeer,
} from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { clientFrame, frame, framesIn } from '../../../support/clients/websocket-frames.ts';
import { afterHead, SWITCH, switching, UPGRADE } from '../../../support/clients/websocket-upgrade.ts';
import { type ConfiguredOptions, startConfigured } from '../../../support/gateways/configured-gateway.ts';

interface Served {
  readonly client: RawClient;
  readonly backend: ScriptedBackend;
  readonly port: number;
}

/** A handler that lets WebSockets through to a scripted backend, and one client of it. */
async function served(
  script: Script,
  websocket: JsonObject = {},
  options: ConfiguredOptions = {},
  scheme = 'http',
): Promise<Served> {
  const backend = await ScriptedBackend.start(script);
  const handler: JsonValue = {
    type: 'ReverseProxyHandler',
    baseURI: `${scheme}://127.0.0.1:${backend.port}`,
    config: { websocket: { enabled: true, ...websocket } },
  };
  const gateway = await startConfigured({ handler }, options);
  const client = await RawClient.connect(gateway.port);
  onTestFinished(async () => {
    client.destroy();
    await gateway.close();
    await backend.close();
    expect(gateway.faults).toEqual([]);
  });
  return { client, backend, port: gateway.port };
}

const ask = (client: RawClient, fields: string, line = 'GET /socket HTTP/1.1', body = ''): void =>
  client.send(`${line}\r\nHost: gateway.test\r\n${fields}\r\n${body}`);

const without = (name: string): string => UPGRADE.replace(new RegExp(`${name}:[^\\r]*\\r\\n`), '');
const agreed = (fields: string): string => SWITCH.replace('\r\n\r\n', `\r\n${fields}\r\n`);

describe('a handshake of a client', () => {
  it.each<[string, string, (string | undefined)?, string?]>([
    ['without a key', without('Sec-WebSocket-Key')],
    ['with a key that is too short', UPGRADE.replace('dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZQ==')],
    ['with a key that is no base64', UPGRADE.replace('dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25j*Q==')],
    ['with two keys', `${UPGRADE}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`],
    ['by POST', UPGRADE, 'POST /socket HTTP/1.1'],
    ['by HEAD', UPGRADE, 'HEAD /socket HTTP/1.1'],
    ['with a body', `${UPGRADE}Content-Length: 4\r\n`, undefined, 'body'],
    ['with a chunked body', `${UPGRADE}Transfer-Encoding: chunked\r\n`, undefined, '4\r\nbody\r\n0\r\n\r\n'],
    ['with a malformed subprotocol', `${UPGRADE}Sec-WebSocket-Protocol: a b\r\n`],
    ['with a malformed extension', `${UPGRADE}Sec-WebSocket-Extensions: "x"; y\r\n`],
  ])('%s is refused with 400', async (_case, fields, line, body) => {
    const { client, backend } = await served(switching(() => {}));
    ask(client, fields, line, body);
    const head = line?.startsWith('HEAD') === true;
    const [answer] = await untilAnswers(client, 1, [head]);
    expect(answer!.status).toBe(400);
    if (!head) expect(refusalOf(answer!)).toBe('websocket-handshake');
    expect(backend.connections).toBe(0);
  });

  it.each([
    ['none', without('Sec-WebSocket-Version')],
    ['8', UPGRADE.replace('Version: 13', 'Version: 8')],
    ['two', `${UPGRADE}Sec-WebSocket-Version: 8\r\n`],
  ])('of another version, %s, gets the supported version', async (_case, fields) => {
    const { client, backend } = await served(switching(() => {}));
    ask(client, fields);
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(426);
    expect(refusalOf(answer!)).toBe('websocket-version');
    expect(answer!.headers.get('sec-websocket-version')).toBe('13');
    expect(answer!.headers.get('upgrade')).toBe('websocket');
    expect(answer!.headers.get('connection')).toBe('Upgrade');
    ask(client, UPGRADE);
    await client.until((text) => text.includes(' 101 '));
    expect(backend.connections).toBe(1);
  });

  it('with an empty body is one', async () => {
    const { client } = await served(switching(() => {}));
    ask(client, `${UPGRADE}Content-Length: 0\r\n`);
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('is checked after the filters', async () => {
    const backend = await ScriptedBackend.start(switching(() => {}));
    const { port } = await startChanged(backend, {
      add: { 'Sec-WebSocket-Version': ['13'] },
      remove: ['Sec-WebSocket-Version'],
    });
    const client = await RawClient.connect(port);
    onTestFinished(() => client.destroy());
    ask(client, UPGRADE.replace('Version: 13', 'Version: 7'));
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 101 /);
  });

  it.each([200, 403])('is over when a filter makes a %i of the switch: nothing passes', async (status) => {
    const backend = await ScriptedBackend.start(async (peer) => {
      const head = await peer.head();
      peer.send(head?.startsWith('GET /socket ') === true ? SWITCH : plainAnswer('plain'));
    });
    const onResponse = [{ target: '${response.status}', value: `\${${status}}` }];
    const { port } = await startBehind(backend, {
      type: 'ConditionalFilter',
      config: {
        condition: "${request.uri.path == '/socket'}",
        delegate: { type: 'AssignmentFilter', config: { onResponse } },
      },
    });
    const client = await RawClient.connect(port);
    onTestFinished(() => client.destroy());
    ask(client, UPGRADE);
    ask(client, '', 'GET /next HTTP/1.1');
    const answers = await untilAnswers(client, 2);
    expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
    expect(answers[0]!.headers.has('upgrade')).toBe(false);
    await backend.peers[0]!.untilClosed();
  });

  it('gets an ordinary response if WebSockets are disabled', async () => {
    const { client, backend } = await served(
      eachRequest(() => plainAnswer('plain')),
      { enabled: false },
    );
    ask(client, without('Sec-WebSocket-Key'));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(backend.requests[0]!.headers.map(([name]) => name)).not.toContain('upgrade');
  });
});

describe('the answer of a backend', () => {
  const wrong: [string, string, string?][] = [
    ['without Sec-WebSocket-Accept', SWITCH.replace(/Sec-WebSocket-Accept:[^\r]*\r\n/, '')],
    ['with another Sec-WebSocket-Accept', SWITCH.replace('s3pPLMBi', 's3pPLMBj')],
    ['with two of them', agreed('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n')],
    ['with a subprotocol nobody asked for', agreed('Sec-WebSocket-Protocol: chat\r\n')],
    ['with another subprotocol', agreed('Sec-WebSocket-Protocol: Chat\r\n'), 'Sec-WebSocket-Protocol: chat\r\n'],
    ['with two subprotocols', agreed('Sec-WebSocket-Protocol: a, b\r\n'), 'Sec-WebSocket-Protocol: a, b\r\n'],
    ['with an extension nobody asked for', agreed('Sec-WebSocket-Extensions: permessage-deflate\r\n')],
    [
      'with another extension',
      agreed('Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n'),
      'Sec-WebSocket-Extensions: permessage-deflate\r\n',
    ],
  ];
  it.each(wrong)('%s is a 502', async (_case, bytes, fields = '') => {
    const { client, backend } = await served(eachRequest(() => bytes));
    ask(client, UPGRADE + fields);
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toBe('backend-websocket');
    await backend.peers[0]!.untilClosed();
  });

  it.each<[string, string, string]>([
    ['a subprotocol', 'Sec-WebSocket-Protocol: soap, chat\r\n', 'Sec-WebSocket-Protocol: chat\r\n'],
    [
      'an extension',
      'Sec-WebSocket-Extensions: x-unknown; a="1, 2"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n',
      'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n',
    ],
  ])('with %s that was requested passes', async (_case, asked, answered) => {
    const { client } = await served(eachRequest(() => agreed(answered)));
    ask(client, UPGRADE + asked);
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toContain(answered);
    expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('may be a refusal, which passes', async () => {
    const { client } = await served(eachRequest(() => plainAnswer('not here', '404 Not Found')));
    ask(client, UPGRADE);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 404, body: 'not here' }]);
  });
});

/** What a backend is asked for, by name. */
function askedOf(head: string): Record<string, string> {
  const lines = head.toLowerCase().split('\r\n');
  return Object.fromEntries(
    lines.filter((line) => line.startsWith('sec-websocket-')).map((line) => line.split(': ') as [string, string]),
  );
}

describe('the offer to a backend', () => {
  const compression =
    'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, x-webkit-deflate-frame, deflate-frame, x-other; p="a, b"\r\n';
  const all = 'permessage-deflate; client_max_window_bits, x-webkit-deflate-frame, deflate-frame, x-other; p="a, b"';
  it.each<[JsonObject, ConfiguredOptions['webSockets'], string | undefined]>([
    [{}, {}, all],
    [{ vertx: { tryUsePerMessageWebSocketCompression: true, tryUsePerFrameWebSocketCompression: true } }, {}, all],
    [
      { vertx: { tryUsePerMessageWebSocketCompression: false } },
      {},
      'x-webkit-deflate-frame, deflate-frame, x-other; p="a, b"',
    ],
    [
      { vertx: { tryUsePerFrameWebSocketCompression: false } },
      {},
      'permessage-deflate; client_max_window_bits, x-other; p="a, b"',
    ],
    [
      { vertx: { tryUsePerFrameWebSocketCompression: false, tryUsePerMessageWebSocketCompression: false } },
      {},
      'x-other; p="a, b"',
    ],
    [{}, { perMessageCompression: false }, 'x-webkit-deflate-frame, deflate-frame, x-other; p="a, b"'],
    [{}, { perFrameCompression: false }, 'permessage-deflate; client_max_window_bits, x-other; p="a, b"'],
  ])('extensions with %j and %j', async (websocket, webSockets, expected) => {
    const heads: string[] = [];
    const { client } = await served(heard(heads), websocket, { webSockets: webSockets ?? {} });
    ask(client, UPGRADE + compression);
    await client.until((text) => text.includes('\r\n\r\n'));
    expect(askedOf(heads[0]!)['sec-websocket-extensions']).toBe(expected);
  });

  it.each<[ConfiguredOptions['webSockets'], string | undefined]>([
    [{}, 'soap, chat, graphql-ws'],
    [{ subprotocols: [] }, 'soap, chat, graphql-ws'],
    [{ subprotocols: ['chat', 'graphql-ws', 'mqtt'] }, 'chat, graphql-ws'],
    [{ subprotocols: ['mqtt'] }, undefined],
    [{ subprotocols: ['SOAP'] }, undefined],
  ])('subprotocols with %j', async (webSockets, expected) => {
    const heads: string[] = [];
    const { client } = await served(heard(heads), {}, { webSockets: webSockets ?? {} });
    ask(client, `${UPGRADE}Sec-WebSocket-Protocol: soap, chat\r\nSec-WebSocket-Protocol: graphql-ws\r\n`);
    await client.until((text) => text.includes('\r\n\r\n'));
    const lines = heads[0]!.match(/^sec-websocket-protocol: .*$/gim) ?? [];
    const said = lines.map((line) => line.slice(line.indexOf(':') + 2)).join(', ');
    expect(lines.length === 0 ? undefined : said).toBe(expected);
  });

  it('limits the accepted response', async () => {
    const { client } = await served(
      eachRequest(() => agreed('Sec-WebSocket-Protocol: soap\r\n')),
      {},
      { webSockets: { subprotocols: ['chat'] } },
    );
    ask(client, `${UPGRADE}Sec-WebSocket-Protocol: soap, chat\r\n`);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 502 }]);
  });
});

it('a baseURI may have the scheme ws', async () => {
  const { client } = await served(
    switching((peer) => peer.send(frame({ payload: 'hello' }))),
    {},
    {},
    'ws',
  );
  ask(client, UPGRADE);
  await client.until((text) => framesIn(afterHead(text)).length === 1);
});

it.each([
  ['agreed on', 'permessage-deflate', 'pass'],
  ['not agreed on', '', 'violate'],
])('compressed frames %s %s', async (_case, extension, outcome) => {
  const { client, backend } = await served(
    eachRequest(() => (extension === '' ? SWITCH : agreed(`Sec-WebSocket-Extensions: ${extension}\r\n`))),
  );
  ask(client, `${UPGRADE}Sec-WebSocket-Extensions: permessage-deflate\r\n`);
  await client.until((text) => text.includes('\r\n\r\n'));
  client.send(clientFrame({ rsv: 4, payload: 'compressed' }));
  const peer = backend.peers[0]!;
  await peer.until((text) => framesIn(text).length > 0);
  expect(framesIn(peer.received)[0]!.payload === 'compressed').toBe(outcome === 'pass');
});

it("Node's own client speaks with a backend through the gateway", async () => {
  const { port } = await served(async (peer) => {
    const head = await peer.head();
    const key = /^sec-websocket-key: (.*)\r$/im.exec(head!)![1]!;
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    peer.send(
      SWITCH.replace('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=', accept).replace(
        '\r\n\r\n',
        '\r\nSec-WebSocket-Protocol: chat\r\n\r\n',
      ),
    );
    await echo(peer);
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ['chat', 'soap']);
  const said: unknown[] = [];
  const closed = new Promise<CloseEvent>((resolve) => {
    socket.onclose = resolve;
    socket.onopen = () => socket.send('one');
    socket.onmessage = ({ data }) => {
      said.push(data);
      if (said.length < 3) socket.send(`${data}+`);
      else socket.close(4000, 'enough');
    };
  });
  const { code, reason, wasClean } = await closed;
  expect(socket.protocol).toBe('chat');
  expect(said).toEqual(['one', 'one+', 'one++']);
  expect({ code, reason, wasClean }).toEqual({ code: 4000, reason: 'enough', wasClean: true });
});

/** Sends every frame back, Close frames too. */
async function echo(peer: ScriptedPeer): Promise<void> {
  for (let seen = 0; ; seen++) {
    await peer.until((text) => framesIn(text).length > seen);
    const next = framesIn(peer.received)[seen];
    if (next === undefined) return;
    peer.send(frame({ opcode: next.opcode, payload: Buffer.from(next.payload, 'latin1') }));
  }
}

/** Agrees, and writes down what it was asked. */
function heard(heads: string[]): Script {
  return async (peer) => {
    heads.push((await peer.head())!);
    peer.send(SWITCH);
  };
}

/** The same with a filter that changes headers of requests. */
function startChanged(backend: ScriptedBackend, change: JsonObject): Promise<{ port: number }> {
  return startBehind(backend, { type: 'HeaderFilter', config: { messageType: 'REQUEST', ...change } });
}

async function startBehind(backend: ScriptedBackend, filter: JsonObject): Promise<{ port: number }> {
  const gateway = await startConfigured({
    handler: {
      type: 'Chain',
      baseURI: `http://127.0.0.1:${backend.port}`,
      config: {
        filters: [filter],
        handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
      },
    },
  });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  return gateway;
}
