import { z } from 'zod';
import type { AdminGuard, AdminRefusal } from '../../../platform/admin/admin-guard.ts';
import type { ApiCaller } from '../api/api-client.ts';

/** How many may be asked about at a time: whoever has no credential must not keep the API server busy through us. */
const MOST_AT_A_TIME = 8;
const TIMEOUT = 5000;

const tokenReview = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().default(false),
    user: z
      .looseObject({
        username: z.string().default(''),
        uid: z.string().optional(),
        groups: z.array(z.string()).default([]),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .default({ username: '', groups: [] }),
  }),
});

const accessReview = z.looseObject({ status: z.looseObject({ allowed: z.boolean().default(false) }) });

/** Lets in whom the cluster knows by the token and lets `get` the path as a non-resource URL. */
export function reviewedAccess(api: Pick<ApiCaller, 'call'>): AdminGuard {
  let asking = 0;

  async function review(token: string, verb: string, path: string): Promise<AdminRefusal | null> {
    const { status } = tokenReview.parse(
      await post('/apis/authentication.k8s.io/v1/tokenreviews', 'authentication.k8s.io/v1', 'TokenReview', { token }),
    );
    if (!status.authenticated || status.user.username === '') return unknown;
    const { username, uid, groups, extra } = status.user;
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb } };
    const version = 'authorization.k8s.io/v1';
    const access = await post(`/apis/${version}/subjectaccessreviews`, version, 'SubjectAccessReview', spec);
    if (accessReview.parse(access).status.allowed) return null;
    return { status: 403, message: `${username} may not ${verb} the non-resource URL ${path}` };
  }

  async function post(path: string, apiVersion: string, kind: string, spec: object): Promise<unknown> {
    const body = { apiVersion, kind, spec };
    return (await api.call({ method: 'POST', path, body, timeout: TIMEOUT })).body;
  }

  return {
    async admit({ headers, method = 'GET' }, path) {
      const token = /^Bearer +([\w.~+/=-]{1,16384})$/i.exec(headers.authorization ?? '')?.[1];
      if (token === undefined) return unknown;
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
