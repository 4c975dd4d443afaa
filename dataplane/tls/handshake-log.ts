import type { Logger } from 'pino';
import { LinePace } from '../../platform/line-pace.ts';
import type { HandshakeFault } from '../engine/wire/secure-transport.ts';

/** How long further failures for one reason are told at a lower level, in milliseconds. */
const INTERVAL = 60_000;

/** What an operator should do about handshakes that fail by the configuration. */
const ADVICE: Partial<Record<HandshakeFault, string>> = {
  cipher: "no cipher suite in common with a client; see 'sslCipherSuites' and the type of the connector's key",
  protocol: "a client supports no TLS version that the connector allows; see 'sslEnabledProtocols'",
  unavailable: 'client rejected: keys or CA certificates of the connector are not available',
};

/** Logs failed handshakes: once a minute as a warning if an operator can fix the cause. */
export class HandshakeLog {
  private readonly log: Logger;
  private readonly paces = new Map<HandshakeFault, LinePace>();

  constructor(log: Logger) {
    this.log = log;
  }

  add(fault: HandshakeFault, detail: string, remote: string): void {
    const advice = ADVICE[fault];
    const facts = { remote, reason: fault, detail };
    const pace = advice === undefined ? null : this.paceOf(fault).take();
    if (advice === undefined || pace === null) this.log.debug(facts, 'TLS handshake with a client failed');
    else this.log.warn({ ...facts, ...pace }, advice);
  }

  private paceOf(fault: HandshakeFault): LinePace {
    const known = this.paces.get(fault);
    if (known !== undefined) return known;
    const pace = new LinePace({ most: 1, interval: INTERVAL });
    this.paces.set(fault, pace);
    return pace;
  }
}
