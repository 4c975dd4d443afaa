import { z } from 'zod';
import type { ApiCaller } from '../api/api-client.ts';

/** A user as the cluster knows them. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Attributes of an access, as a SubjectAccessReview names them. */
export type AccessAttributes =
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } }
  | { readonly resourceAttributes: Readonly<Record<string, string>> };

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

/** Asks the cluster whose token it is; null for a token that it does not accept. @throws ApiError, ZodError */
export async function reviewToken(api: Pick<ApiCaller, 'call'>, token: string): Promise<ReviewedUser | null> {
  const { status } = tokenReview.parse(await post(api, 'authentication.k8s.io/v1', 'TokenReview', { token }));
  const { username, uid, groups, extra } = status.user;
  return status.authenticated && username !== '' ? { username, uid, groups, extra } : null;
}

/** Asks the cluster whether a user may do something. @throws ApiError, ZodError */
export async function reviewAccess(
  api: Pick<ApiCaller, 'call'>,
  { username, uid, groups, extra }: ReviewedUser,
  attributes: AccessAttributes,
): Promise<boolean> {
  const spec = { user: username, uid, groups, extra, ...attributes };
  return accessReview.parse(await post(api, 'authorization.k8s.io/v1', 'SubjectAccessReview', spec)).status.allowed;
}

async function post(
  api: Pick<ApiCaller, 'call'>,
  apiVersion: string,
  kind: 'TokenReview' | 'SubjectAccessReview',
  spec: object,
): Promise<unknown> {
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  return (await api.call({ method: 'POST', path, body: { apiVersion, kind, spec }, timeout: TIMEOUT })).body;
}

/** Returns the token of an Authorization header; null for any other header. */
export function bearerToken(authorization: string | null | undefined): string | null {
  return /^Bearer +([\w.~+/=-]{1,16384})$/i.exec(authorization ?? '')?.[1] ?? null;
}
