import type { ListenAddress } from '../../platform/listen-address.ts';

/** A code of the system, which stands first or behind the name of a call; elsewhere a word in capitals is a word. */
const SYSTEM_REASON = /^(?:[a-z]+ )?(E[A-Z]{4,})\b/;

/** Why a plane does not start: an address cannot be listened on. */
export class CannotListen extends Error {
  /** Which one it is: the admin address, or that of a connector by its place. */
  readonly port: 'admin' | number;
  readonly address: ListenAddress;
  /** The code of the system where it gives one, such as EADDRINUSE. */
  readonly code: string;

  constructor(port: 'admin' | number, address: ListenAddress, reason: string) {
    super(`cannot listen on the ${port === 'admin' ? 'admin' : 'traffic'} address: ${reason}`);
    this.name = 'CannotListen';
    this.port = port;
    this.address = address;
    this.code = SYSTEM_REASON.exec(reason)?.[1] ?? reason;
  }
}
