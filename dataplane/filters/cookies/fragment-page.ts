import { createHash } from 'node:crypto';
import { Response } from '../../engine/message/response.ts';

/** Sends the fragment where it is kept, then goes on to the login, whatever came of it. */
const SCRIPT = `
const { endpoint, target } = document.body.dataset;
const login = () => location.replace(document.querySelector('a').href);
const fragment = location.hash.slice(1);
if (fragment === '') login();
else fetch(endpoint, { method: 'POST', body: new URLSearchParams({ target, fragment }) }).then(login, login);
`;

/** Nothing runs in the page but its own script, and that may talk to its own origin only. */
const POLICY =
  `default-src 'none'; connect-src 'self'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page that stands in for a redirect to a login. */
export interface FragmentPage {
  /** `login`: where the redirect led. `target`: path and query of what was asked for. */
  response(login: string, target: string): Response;
}

/** A page that sends fragments to the endpoint; browsers without JavaScript show the message, if any, and a link. */
export function fragmentPage(endpoint: string, message: string | null): FragmentPage {
  const notice = message === null ? '' : `<p>${escaped(message)}</p>`;
  return {
    response(login, target) {
      const response = new Response(200);
      response.headers.append('Content-Type', 'text/html; charset=utf-8');
      response.headers.append('Cache-Control', 'no-store');
      response.headers.append('Content-Security-Policy', POLICY);
      response.headers.append('X-Content-Type-Options', 'nosniff');
      response.entity.set(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Login</title></head>' +
          `<body data-endpoint="${escaped(endpoint)}" data-target="${escaped(target)}">` +
          `<noscript>${notice}</noscript><p><a href="${escaped(login)}">Go on to the login</a></p>` +
          `<script>${SCRIPT}</script></body></html>\n`,
      );
      return response;
    },
  };
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
