import type { CannotListen } from '../../dataplane/supervisor/cannot-listen.ts';

/** What the codes of the system mean to whoever chose the address. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: another program listens there',
  EACCES: 'is not permitted: ports below 1024 are for privileged users',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not the name of a host',
};

/** Of these it is the host and not the port that is wrong. */
const ABOUT_HOSTS = ['EADDRNOTAVAIL', 'ENOTFOUND'];

/** Whatever else is wrong is not the address, but what is to be served there, such as TLS without a key. */
const SYSTEM_CODE = /^E[A-Z]+$/;

/** The options that choose addresses. */
export interface AddressOptions {
  readonly host: string;
  readonly port: string;
  /** How many connectors there are, which are told apart by their places; one behind them is that of --tls-port. */
  readonly connectors: number;
}

/** Why a command does not start, with the option that chooses another address. */
export function cannotListenText({ port: which, address, code }: CannotListen, traffic: AddressOptions): string {
  const { host, port } = address;
  const shown = host === undefined ? `port ${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const isSecure = which === traffic.connectors;
  const isOneOfMany = which !== 'admin' && !isSecure && traffic.connectors > 1;
  const kind = which === 'admin' ? 'admin' : isSecure ? 'TLS' : 'traffic';
  const name = isOneOfMany ? `connectors[${which}]` : `the ${kind} address`;
  const reason = reasons[code];
  if (reason === undefined) {
    const what = SYSTEM_CODE.test(code) ? 'cannot be listened on' : 'cannot be served';
    return `${shown}, ${name}, ${what}: ${code}`;
  }
  const own = isSecure ? 'tls-port' : traffic.port;
  const option = which === 'admin' ? 'admin' : ABOUT_HOSTS.includes(code) ? traffic.host : own;
  return `${shown}, ${name}, ${reason}; choose another one with --${option}`;
}
