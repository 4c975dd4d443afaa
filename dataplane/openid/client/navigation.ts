import type { Headers } from '../../engine/head/headers.ts';

const PAGES: ReadonlySet<string> = new Set(['document', 'iframe', 'frame']);

/**
 * Whether a browser shows the answer to a request as a page, so that it can be sent to a sign-in page. What a script or
 * a page fetches for itself cannot: it would take the sign-in page for the answer.
 */
export function isNavigation(headers: Headers): boolean {
  const mode = headers.get('sec-fetch-mode');
  if (mode !== null) return mode === 'navigate' && PAGES.has(headers.get('sec-fetch-dest') ?? 'document');
  if (headers.get('x-requested-with')?.toLowerCase() === 'xmlhttprequest') return false;
  const accept = headers.all('accept').join(',');
  return accept === '' || /text\/html|application\/xhtml\+xml|\*\/\*/i.test(accept);
}
