import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { openInChromium } from '../../support/programs/chromium.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import type { ServerProgram } from '../../support/programs/server-program.ts';

const who = certifiers();
let application: Server;
let gateway: PeerGateway;
let browser: ServerProgram | undefined;
let sendEvent: () => void = () => {};
let reported: (outcome: string) => void = () => {};

beforeAll(async () => {
  await installPrograms(['chromium']);
  application = createServer(answer).listen(0, '127.0.0.1');
  await once(application, 'listening');
  new WebSocketServer({ server: application }).on('connection', (socket, request) => {
    socket.send(`${request.headers.via}`);
    socket.on('message', (data: Buffer, binary) => socket.send(data, { binary }));
  });
  const { port } = application.address() as AddressInfo;
  gateway = await PeerGateway.start(who, {
    routes: { app: { to: `http://127.0.0.1:${port}`, config: { websocket: { enabled: true } } } },
  });
}, INSTALLATION);

afterAll(async () => {
  await browser?.stop('SIGKILL');
  await gateway?.stop();
  application?.closeAllConnections();
  application?.close();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  switch (request.url) {
    case '/app/page':
      response.setHeader('content-type', 'text/html').end(`<script type="module">${PAGE}</script>`);
      break;
    case '/app/events':
      response.setHeader('content-type', 'text/event-stream').flushHeaders();
      sendEvent = () => response.write(`data: ${request.headers.via}\n\n`);
      sendEvent();
      break;
    case '/app/next': // the page has seen the last event, and asks for another
      sendEvent();
      response.end();
      break;
    case '/app/report':
      text(request).then(reported, reported);
      response.end();
      break;
    default:
      response.writeHead(404).end();
  }
}

/** What the page does: it says how all of it went. */
const PAGE = `
const outcome = { protocol: performance.getEntriesByType('navigation')[0].nextHopProtocol };
const socket = new WebSocket('/app/socket'.replace(/^/, location.origin.replace('http', 'ws')));
socket.binaryType = 'arraybuffer';
const next = (target, name) => new Promise((resolve, reject) => {
  target.addEventListener(name, resolve, { once: true });
  target.addEventListener('error', () => reject(new Error(name + ' did not come')), { once: true });
});
try {
  outcome.via = (await next(socket, 'message')).data;
  socket.send('hello');
  outcome.echo = (await next(socket, 'message')).data;
  socket.send(new Uint8Array(1_000_000));
  outcome.bytes = (await next(socket, 'message')).data.byteLength;
  outcome.extensions = socket.extensions;
  socket.close(4000, 'done');
  outcome.code = (await next(socket, 'close')).code;
  const events = new EventSource('/app/events');
  outcome.events = [];
  for (let i = 0; i < 3; i++) {
    const event = next(events, 'message');
    if (i > 0) await fetch('/app/next', { method: 'POST' });
    outcome.events.push((await event).data);
  }
  events.close();
} catch (error) {
  outcome.error = String(error);
}
await fetch('/app/report', { method: 'POST', body: JSON.stringify(outcome) });
`;

it('speaks HTTP/2, opens a WebSocket and gets events one by one', async () => {
  const report = new Promise<string>((resolve) => (reported = resolve));
  browser = await openInChromium(`https://localhost:${gateway.tls}/app/page`);
  expect(JSON.parse(await report)).toEqual({
    protocol: 'h2',
    via: '2 gatewarden',
    echo: 'hello',
    bytes: 1_000_000,
    extensions: '',
    code: 4000,
    events: ['2 gatewarden', '2 gatewarden', '2 gatewarden'],
  });
});
