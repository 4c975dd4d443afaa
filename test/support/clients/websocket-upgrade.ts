import { expect } from 'vitest';
import { type BackendWebSockets, DEFAULT_WEBSOCKETS, openWebSocket } from '../../../dataplane/engine/websocket/open.ts';
import { COUNTER, counters } from '../../../dataplane/engine/wire/counters.ts';
import type { Script, ScriptedPeer } from '../backends/scripted-backend.ts';
import { get, type ProxiedBackend, type ProxiedBackendOptions } from '../gateways/proxied-backend.ts';
import type { RawClient } from './raw-client.ts';

/** Header lines with which a client asks for a websocket. */
export const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
/** The head with which a backend agrees. */
export const SWITCH =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';

/** Lets websockets through. */
export const websockets = (options: ProxiedBackendOptions = {}): ProxiedBackendOptions => ({
  ...options,
  backend: { upgrades: ['websocket'], ...options.backend },
});

/** Lets websockets through and understands their frames. */
export const relaying = (
  terms: Partial<BackendWebSockets> = {},
  options: ProxiedBackendOptions = {},
): ProxiedBackendOptions =>
  websockets({
    handler: (backend) => (exchange) => openWebSocket(exchange, backend, { ...DEFAULT_WEBSOCKETS, ...terms }, () => {}),
    ...options,
  });

/** What came behind the head. */
export const afterHead = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** Switches protocols on the first request, then does what the test says. */
export const switching =
  (then: (peer: ScriptedPeer) => void | Promise<void>, early = ''): Script =>
  async (peer) => {
    if ((await peer.head()) === null) return;
    peer.send(SWITCH + early);
    await then(peer);
  };

/** How many tunnels are open. */
export const tunnels = (): number => counters.block[COUNTER.tunnelsOpen]!;

/** Asks for a websocket, sends `early` right behind, and waits for the 101. */
export async function upgraded(pair: ProxiedBackend, early = '', fields = UPGRADE): Promise<RawClient> {
  const client = await pair.client();
  client.send(get('/socket', fields) + early);
  await client.until((text) => text.includes('\r\n\r\n'));
  expect(client.text).toMatch(/^HTTP\/1\.1 101 /);
  return client;
}
