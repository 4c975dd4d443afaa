import type { IncomingMessage } from 'node:http';
import { isFromThisMachine } from '../../contract/own-machine.ts';

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

/** Lets programs of this machine in, for a controller outside of a cluster. */
export const loopbackGuard: AdminGuard = {
  async admit(request) {
    return isFromThisMachine(request) ? null : { status: 403, message: 'only from this machine' };
  },
};

/** Lets everybody in, for a socket that the file system lets nobody else open. */
export const openGuard: AdminGuard = { admit: async () => null };

/** Lets nobody in, for an address without TLS: a token must not be sent there. */
export function closedGuard(instead: string): AdminGuard {
  return { admit: async () => ({ status: 403, message: `only health and metrics are here: ${instead}` }) };
}
