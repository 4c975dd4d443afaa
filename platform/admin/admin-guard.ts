import type { IncomingMessage } from 'node:http';
import { isFromThisMachine } from '../../contract/own-machine.ts';

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

/** Admits nobody: for an address where a token would be sent in the clear and loopback says nothing of who asks. */
export function closedGuard(instead: string): AdminGuard {
  return { admit: async () => ({ status: 403, message: `only health and metrics are served here: ${instead}` }) };
}

/** Admits callers that all of these guards admit, asked in their order. */
export function everyGuard(...guards: readonly AdminGuard[]): AdminGuard {
  return {
    async admit(request, path) {
      for (const guard of guards) {
        const refusal = await guard.admit(request, path);
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}
