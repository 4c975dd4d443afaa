import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tokenPart } from '../identity/token-text.ts';
import type { ClusterAccess } from './api-server.ts';

export interface MintedFor {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly pod: { readonly name: string; readonly uid: string };
  readonly audience: string;
  /** In seconds; the API server itself gives none for less than ten minutes. */
  readonly lifetime: number;
}

/** A token of a ServiceAccount as the API server would sign it, for a shorter time than it would. */
export function mintedToken({ caFile }: ClusterAccess, claims: MintedFor): string {
  const { namespace, account, pod, audience, lifetime } = claims;
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: 'https://kubernetes.default.svc',
    sub: `system:serviceaccount:${namespace}:${account.name}`,
    aud: [audience],
    iat: now,
    nbf: now,
    exp: now + lifetime,
    'kubernetes.io': { namespace, serviceaccount: account, pod },
  };
  const signed = [{ alg: 'RS256' }, payload].map(tokenPart).join('.');
  const key = readFileSync(join(dirname(caFile), 'accounts.key'));
  return `${signed}.${tokenPart(sign('sha256', Buffer.from(signed), key))}`;
}
