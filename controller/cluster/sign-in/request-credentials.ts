import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../identity/reviews.ts';
import type { ConsoleSessions } from './console-sessions.ts';

/** The credential of a request. */
export interface RequestCredential {
  /** Token of the cluster; null for none. */
  readonly token: string | null;
  /** `Set-Cookie` lines for the answer, where the credential was renewed. */
  readonly cookies: readonly string[];
}

/** Finds the credential of a request. */
export interface RequestCredentials {
  of(request: IncomingMessage): RequestCredential | Promise<RequestCredential>;
}

/** Takes tokens of Authorization headers only. */
export const bearerCredentials: RequestCredentials = {
  of: ({ headersDistinct: { authorization = [] } }) => ({
    token: bearerToken(authorization.length === 1 ? authorization[0] : null),
    cookies: [],
  }),
};

/** Takes tokens of Authorization headers, and of sessions where a request has no such header. */
export function consoleCredentials(sessions: ConsoleSessions): RequestCredentials {
  return {
    of(request) {
      const hasHeader = request.headersDistinct['authorization'] !== undefined;
      if (hasHeader) return bearerCredentials.of(request);
      return { token: sessions.tokenIn(request)?.token ?? null, cookies: [] };
    },
  };
}
