import type { IncomingMessage } from 'node:http';

/** Why a request is not let in. */
export interface AdminRefusal {
  readonly status: 401 | 403 | 503;
  readonly message: string;
}

/** Decides who may see more than health and metrics. Could not decide is a refusal. */
export interface AdminGuard {
  /** @returns null when it may. */
  admit(request: IncomingMessage, path: string): Promise<AdminRefusal | null>;
}

/** What proxies and browsers say of themselves: somebody else speaks through them. */
const SPOKEN_FOR = ['via', 'forwarded', 'x-forwarded-for', 'origin'];

/** Lets programs of this machine in, for a controller outside of a cluster. */
export const loopbackGuard: AdminGuard = {
  async admit({ socket, headers }) {
    const host = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
    const isOwn =
      isLoopback(socket.remoteAddress) && (host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1')));
    if (isOwn && SPOKEN_FOR.every((name) => headers[name] === undefined)) return null;
    return { status: 403, message: 'only from this machine' };
  },
};

/** Lets nobody in, for an address without TLS: a token must not be sent there. */
export function closedGuard(instead: string): AdminGuard {
  return { admit: async () => ({ status: 403, message: `only health and metrics are here: ${instead}` }) };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}
