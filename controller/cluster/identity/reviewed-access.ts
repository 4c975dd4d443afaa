import type { AdminGuard, AdminRefusal } from '../../../platform/admin/admin-guard.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { bearerToken, reviewAccess, reviewToken } from './reviews.ts';

/** How many may be asked about at a time: whoever has no credential must not keep the API server busy through us. */
const MOST_AT_A_TIME = 8;

/** Lets in whom the cluster knows by the token and lets `get` the path as a non-resource URL. */
export function reviewedAccess(api: Pick<ApiCaller, 'call'>): AdminGuard {
  let asking = 0;

  async function review(token: string, verb: string, path: string): Promise<AdminRefusal | null> {
    const user = await reviewToken(api, token);
    if (user === null) return unknown;
    if (await reviewAccess(api, user, { nonResourceAttributes: { path, verb } })) return null;
    return { status: 403, message: `${user.username} may not ${verb} the non-resource URL ${path}` };
  }

  return {
    async admit({ headers, method = 'GET' }, path) {
      const token = bearerToken(headers.authorization);
      if (token === null) return unknown;
      if (asking >= MOST_AT_A_TIME) return { status: 503, message: 'too many requests at a time' };
      asking++;
      try {
        return await review(token, method === 'HEAD' ? 'get' : method.toLowerCase(), path);
      } catch {
        return { status: 503, message: 'the API server could not review your token' };
      } finally {
        asking--;
      }
    },
  };
}

const unknown: AdminRefusal = { status: 401, message: 'send Authorization: Bearer with a token of the cluster' };
