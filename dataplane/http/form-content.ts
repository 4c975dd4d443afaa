import type { Request } from './request.ts';

/** Whether the content of a request says that it is a form. */
export function isForm({ headers }: Request): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}
