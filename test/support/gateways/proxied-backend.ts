import type { ListenOptions } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { COUNTER, type CounterName, counters } from '../../../dataplane/engine/wire/counters.ts';
import { HttpBackend } from '../backends/http-backend.ts';
import { type Script, ScriptedBackend } from '../backends/scripted-backend.ts';
import { untilTrue } from '../clients/event-loop.ts';
import { RawClient } from '../clients/raw-client.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

/** A backend with the engine in front of it. */
export interface Proxied<B> {
  readonly backend: B;
  readonly gateway: TestGateway;
  /** A new client of the gateway. */
  client(): Promise<RawClient>;
}

export type ProxiedBackend = Proxied<ScriptedBackend>;

export interface ProxiedBackendOptions extends Omit<TestGatewayOptions, 'backend'> {
  readonly backend?: Partial<NonNullable<TestGatewayOptions['backend']>>;
  /** Where the backend listens, if not on a port of its own on 127.0.0.1. */
  readonly listen?: ListenOptions;
  /** The name by which the gateway calls the backend. */
  readonly host?: string;
}

/** Figures that must be zero when nothing runs; what is left is a place that was never given back. */
const MUST_BE_ZERO: CounterName[] = [
  'connectionsOpen',
  'requestsActive',
  'tunnelsOpen',
  'webSocketsOpen',
  'backendConnectionsOpen',
  'backendStreamsOpen',
  'backendWaiting',
];

/** The figures are one for all gateways of a thread. */
let running = 0;

/** Starts both for one test. */
export function startProxiedBackend(script: Script, options: ProxiedBackendOptions = {}): Promise<ProxiedBackend> {
  return startBefore(ScriptedBackend.start(script, options.listen), options);
}

/** The same with Node's own HTTP server as the backend. */
export function startProxiedServer(
  handler: Parameters<typeof HttpBackend.start>[0],
  options: ProxiedBackendOptions = {},
): Promise<Proxied<HttpBackend>> {
  return startBefore(HttpBackend.start(handler), options);
}

/** What a test can put the engine in front of. */
export interface TestBackend {
  readonly destination: { readonly host: string; readonly port: number } | { readonly path: string };
  /** What its own code threw. */
  readonly faults: readonly unknown[];
  close(): Promise<void>;
}

/** Starts the engine for one test; at the end of it nothing may be left and nothing may have thrown. */
export async function startBefore<B extends TestBackend>(
  starting: Promise<B>,
  options: ProxiedBackendOptions,
): Promise<Proxied<B>> {
  const backend = await starting;
  const { host } = options;
  const destination = host === undefined ? backend.destination : { ...backend.destination, host };
  const gateway = await startGateway({ ...options, backend: { destination, ...options.backend } });
  const clients: RawClient[] = [];
  running++;
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    await gateway.close();
    await backend.close();
    running--;
    if (running === 0) await untilTrue(() => MUST_BE_ZERO.every((name) => counters.block[COUNTER[name]] === 0));
    expect(gateway.faults).toEqual([]);
    expect(backend.faults).toEqual([]);
  });
  return {
    backend,
    gateway,
    async client() {
      const client = await RawClient.connect(gateway.port);
      clients.push(client);
      return client;
    },
  };
}

/** A request without a body. */
export function get(target: string, fields = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: gateway.test\r\n${fields}\r\n`;
}

/** A request with a body of known length. */
export function send(method: string, target: string, body: string, fields = ''): string {
  return `${method} ${target} HTTP/1.1\r\nHost: gateway.test\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
}
