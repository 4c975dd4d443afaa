import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../identity/reviews.ts';
import type { ConsoleSessions } from './console-sessions.ts';

/** Finds the credential of a request. */
export interface RequestCredentials {
  /** Returns a token of the cluster; null for none. */
  of(request: IncomingMessage): string | null;
}

/** Takes tokens of Authorization headers only. */
export const bearerCredentials: RequestCredentials = {
  of: ({ headersDistinct: { authorization = [] } }) =>
    bearerToken(authorization.length === 1 ? authorization[0] : null),
};

/** Takes tokens of Authorization headers, and of sessions where a request has no such header. */
export function consoleCredentials(sessions: ConsoleSessions): RequestCredentials {
  return {
    of(request) {
      const hasHeader = request.headersDistinct['authorization'] !== undefined;
      if (hasHeader) return bearerCredentials.of(request);
      return sessions.tokenIn(request)?.token ?? null;
    },
  };
}
