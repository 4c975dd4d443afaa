import type { Logger } from 'pino';
import type { HandshakeFault } from '../engine/wire/secure-transport.ts';

/** How long further failures for one reason are told at a lower level, in milliseconds. */
const INTERVAL = 60_000;

/** What an operator should do about handshakes that fail by the configuration. */
const ADVICE: Partial<Record<HandshakeFault, string>> = {
  cipher: "no cipher suite in common with a client; see 'sslCipherSuites' and the type of the connector's key",
  protocol: "a client supports no TLS version that the connector allows; see 'sslEnabledProtocols'",
  unavailable: 'client rejected: keys or CA certificates of the connector are not available',
};

/** Tells of handshakes that came to nothing: once a minute as a warning where an operator could do something about it. */
export class HandshakeLog {
  private readonly log: Logger;
  private readonly quiet = new Map<HandshakeFault, { readonly until: number; leftOut: number }>();

  constructor(log: Logger) {
    this.log = log;
  }

  add(fault: HandshakeFault, detail: string, remote: string): void {
    const advice = ADVICE[fault];
    const facts = { remote, reason: fault, detail };
    const quiet = this.quiet.get(fault);
    const now = performance.now();
    if (advice === undefined || (quiet !== undefined && now < quiet.until)) {
      if (quiet !== undefined) quiet.leftOut++;
      this.log.debug(facts, 'TLS handshake with a client failed');
      return;
    }
    const leftOut = quiet?.leftOut ?? 0;
    this.quiet.set(fault, { until: now + INTERVAL, leftOut: 0 });
    this.log.warn({ ...facts, ...(leftOut > 0 && { leftOut }) }, advice);
  }
}
