import { Backend } from '../../../dataplane/engine/backend/backend.ts';
import type { BackendOptions } from '../../../dataplane/engine/backend/backend-options.ts';
import type { Finished } from '../../../dataplane/engine/client/finished.ts';
import { Listener, type RefusedHead } from '../../../dataplane/engine/client/listener.ts';
import type { ListenerLimits } from '../../../dataplane/engine/head/limits.ts';
import type { Next } from '../../../dataplane/engine/message/exchange.ts';
import type { WebSocketOptions } from '../../../dataplane/engine/message/websocket-terms.ts';
import type { SecureTransport, TicketKeys } from '../../../dataplane/engine/wire/secure-transport.ts';

/** The engine on a port of its own, in front of a backend or of any handler. */
export interface TestGateway {
  readonly port: number;
  readonly finished: Finished[];
  readonly faults: unknown[];
  readonly listener: Listener;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly backend?: Partial<BackendOptions> & Pick<BackendOptions, 'destination'>;
  readonly handler?: (backend: Next) => Next;
  readonly limits?: Partial<ListenerLimits>;
  readonly webSockets?: WebSocketOptions;
  readonly trustedProxies?: readonly string[];
  readonly tls?: SecureTransport;
  readonly ticketKeys?: TicketKeys;
  readonly onRefusedHead?: (refused: RefusedHead) => void;
}

export async function startGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const backend = options.backend === undefined ? null : new Backend(options.backend);
  const nothing: Next = () => {
    throw new Error('this gateway has no backend');
  };
  const end = backend?.handle ?? nothing;
  const finished: Finished[] = [];
  const faults: unknown[] = [];
  const listener = new Listener({
    host: '127.0.0.1',
    port: 0,
    reusePort: false,
    handler: options.handler?.(end) ?? end,
    limits: { requestIds: false, ...options.limits },
    webSockets: options.webSockets ?? {},
    trustedProxies: options.trustedProxies ?? [],
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.ticketKeys === undefined ? {} : { ticketKeys: options.ticketKeys }),
    ...(options.onRefusedHead === undefined ? {} : { onRefusedHead: options.onRefusedHead }),
    onFinished: (entry) => finished.push(entry),
    onFault: (error) => faults.push(error),
  });
  const { port } = await listener.listen();
  return {
    port,
    finished,
    faults,
    listener,
    async close() {
      await listener.drain(0);
      backend?.close();
    },
  };
}
