import { Response, textResponse } from '../../engine/message/response.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Sends the browser to a URL. */
export function redirection(location: string, setCookies: readonly string[] = []): Response {
  const response = new Response(302);
  response.headers.append('Location', location);
  return withCookies(hardened(response), setCookies);
}

/**
 * Sends the browser to a URL from a page of this site. Browsers send cookies with `SameSite=Strict` there, which they
 * hold back on the redirects that begin at a provider.
 */
export function pageRedirection(location: string, setCookies: readonly string[]): Response {
  const url = location.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
  const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">Continue</a>\n`;
  return withCookies(hardened(textResponse(200, page, 'text/html; charset=utf-8')), setCookies);
}

export function withCookies(response: Response, lines: readonly string[]): Response {
  for (const line of lines) response.headers.append('Set-Cookie', line);
  return response;
}

/** Keeps answers of service URIs out of caches, and their URLs out of the logs of other sites. */
export function hardened(response: Response): Response {
  response.headers.set('Cache-Control', 'no-store');
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
}

/** Adds a text for the user to an empty answer. */
export function explained(response: Response, text: string): Response {
  response.headers.append('Content-Type', 'text/plain; charset=utf-8');
  response.entity.set(`${text}\n`);
  return response;
}
