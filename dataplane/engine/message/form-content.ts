import type { Request } from './request.ts';

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:[;,]|$)/i;

/** Whether the content of a request says that it is a form. */
export function isForm({ headers }: Request): boolean {
  return headers.has('content-type') && headers.all('content-type').some((type) => FORM.test(type));
}
