import type { IncomingMessage } from 'node:http';
import { readBody } from '../../../platform/admin/admin-body.ts';
import { type AdminFilter, BodyTooLong } from '../../../platform/admin/admin-filter.ts';
import type { AdminRefusal } from '../../../platform/admin/admin-guard.ts';
import { crestRefusal } from '../../../platform/admin/crest-path.ts';
import type { CallerGate } from '../crest/caller-gate.ts';
import type { Caller } from '../crest/caller-review.ts';
import type { RequestCredentials } from './request-credentials.ts';

export interface CredentialFilterOptions {
  readonly gate: CallerGate;
  readonly credentials: RequestCredentials;
  /** Called with each request that is refused here. */
  refused(request: IncomingMessage, refusal: AdminRefusal, caller: Caller | null, milliseconds: number): void;
}

/**
 * Judges who asks before a body is read, and passes requests on with the token in the Authorization header, wherever it
 * came from. Cookies go no further.
 */
export function credentialFilter({ gate, credentials, refused }: CredentialFilterOptions): AdminFilter {
  return {
    async answer(request, longestBody, pass) {
      const begun = performance.now();
      const token = credentials.of(request);
      const { refusal, caller } = await gate.judged(token, request.socket.remoteAddress ?? '');
      if (refusal !== null) {
        refused(request, refusal, caller, performance.now() - begun);
        const answer = crestRefusal(refusal.status, refusal.message);
        return { ...answer, headers: { ...answer.headers, ...refusal.headers } };
      }
      const body = await readBody(request, longestBody);
      if (body === null) throw new BodyTooLong();
      const { method = 'GET', url = '/', headersDistinct } = request;
      const [path = '', ...rest] = url.split('?');
      return pass({
        ...{ method, path, search: rest.join('?'), body },
        header(name) {
          if (name === 'authorization') return `Bearer ${token}`;
          return name === 'cookie' ? null : (headersDistinct[name]?.[0] ?? null);
        },
      });
    },
  };
}
