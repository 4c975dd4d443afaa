import type { TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { OpenwireServer } from './openwire-server.ts';

/** A broker for the rest of the test. */
export type OpenwireBroker = OpenwireServer;

export const OpenwireBroker = {
  /** @param tls keys and certificates; without them it listens without TLS */
  async start(port = 0, tls?: TlsOptions): Promise<OpenwireBroker> {
    const broker = await OpenwireServer.listen(port, tls);
    onTestFinished(() => broker.close());
    return broker;
  },
};
