import type { IncomingMessage } from 'node:http';
import { isFromOtherPage, isFromThisMachine, isOpenedHere } from '../../contract/own-machine.ts';

/** Reason why a request is not admitted. */
export interface AdminRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Decides who may use a path of an admin server. A guard that cannot decide refuses. */
export interface AdminGuard {
  /** @returns null when the request is admitted. */
  admit(request: IncomingMessage, path: string): Promise<AdminRefusal | null>;
}

/** Admits everybody: for health and metrics, and for a socket that only one user can open. */
export const openGuard: AdminGuard = { admit: async () => null };

/** Admits programs of this machine that ask for themselves, outside of a Pod. */
export const loopbackGuard: AdminGuard = {
  async admit(request) {
    return isFromThisMachine(request) ? null : { status: 403, message: 'only reachable from this machine' };
  },
};

/** Admits people of this machine who open a page, and what the page loads: for files without any data. */
export const openedHereGuard: AdminGuard = {
  async admit(request) {
    return isOpenedHere(request) ? null : { status: 403, message: 'only reachable from this machine' };
  },
};

/** Admits everybody but pages of other origins: for paths behind a filter, which may know people by their cookies. */
export const pageGuard: AdminGuard = {
  async admit(request) {
    return isFromOtherPage(request) ? { status: 403, message: 'not for pages of other origins' } : null;
  },
};

/** Admits nobody: for an address where a token would be sent in the clear and loopback says nothing of who asks. */
export function closedGuard(instead: string): AdminGuard {
  return { admit: async () => ({ status: 403, message: `only health and metrics are served here: ${instead}` }) };
}
