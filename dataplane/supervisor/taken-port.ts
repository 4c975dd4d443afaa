import { connect } from 'node:net';
import type { ListenAddress } from '../../platform/listen-address.ts';

/** How long the port may take to say that nobody is there, in milliseconds. */
const PROBE = 250;

/**
 * Whether somebody listens there already. Units share their port with whoever asks to, so that another gateway that got
 * there first would take half of the traffic. It is asked for by connecting: listening for a moment would make whoever
 * waits for us believe that we are up.
 */
export function isTaken({ host, port }: ListenAddress): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  const own = host === undefined || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return new Promise<boolean>((resolve) => {
    const probe = connect({ host: own, port, timeout: PROBE });
    const answer = (open: boolean): void => {
      probe.destroy();
      resolve(open);
    };
    probe.once('connect', () => answer(true));
    probe.once('timeout', () => answer(false));
    probe.once('error', () => answer(false));
  });
}
