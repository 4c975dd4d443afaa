import { errorText } from '../../platform/error-text.ts';
import { Listener, type ListenerOptions } from '../engine/client/listener.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import { ChangingTicketKeys } from '../tls/ticket-keys.ts';
import type { UnitOptions } from './unit-messages.ts';
import type { UnitTraffic } from './unit-traffic.ts';

/** A connector that cannot be opened: its place, and why. */
export class ConnectorFailure extends Error {
  readonly connector: number;

  constructor(connector: number, cause: unknown) {
    super(errorText(cause), { cause });
    this.name = 'ConnectorFailure';
    this.connector = connector;
  }
}

type Told = Pick<ListenerOptions, 'onFinished' | 'onFault'>;

/** The listeners of a unit, one for each connector of its plane. */
export class UnitListeners {
  private readonly listeners: readonly Listener[];

  constructor(options: UnitOptions, traffic: UnitTraffic, told: Told) {
    const { connectors, trustedProxies, ticketSeed } = options;
    const ticketKeys = ticketSeed === null ? null : new ChangingTicketKeys(ticketSeed);
    this.listeners = connectors.map(({ scheme, host, port, limits, webSockets, backlog }, at) => {
      const tls = traffic.tls(at);
      // nobody is to be met in clear where TLS was asked for
      if ((tls === null) !== (scheme === 'http')) throw new Error(`connectors[${at}] has no way to speak ${scheme}`);
      return new Listener({
        ...(host === undefined ? {} : { host }),
        port,
        reusePort: true,
        limits,
        ...(webSockets === undefined ? {} : { webSockets }),
        ...(backlog === undefined ? {} : { backlog }),
        trustedProxies,
        ...(tls === null ? {} : { tls }),
        ...(ticketKeys === null ? {} : { ticketKeys }),
        handler: traffic.handle,
        ...(traffic.refusedHead === undefined ? {} : { onRefusedHead: traffic.refusedHead }),
        ...told,
      });
    });
  }

  /** Starts to accept everywhere, or nowhere. @throws ConnectorFailure for the first that cannot be opened. */
  async listen(): Promise<readonly Endpoint[]> {
    const outcomes = await Promise.allSettled(this.listeners.map((listener) => listener.listen()));
    const endpoints: Endpoint[] = [];
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') endpoints.push(outcome.value);
      else {
        await this.drain(0);
        throw new ConnectorFailure(at, outcome.reason);
      }
    }
    return endpoints;
  }

  /** Asks clients to go, and goes on accepting. */
  dismiss(): void {
    for (const listener of this.listeners) listener.dismiss();
  }

  /** Stops to accept, and is done when the last connection is closed or the time is over. @returns how many were cut */
  async drain(timeout: number): Promise<number> {
    const cut = await Promise.all(this.listeners.map((listener) => listener.drain(timeout)));
    return cut.reduce((sum, one) => sum + one, 0);
  }
}
