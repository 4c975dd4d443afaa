import { z } from 'zod';
import { choice, duration, flag, text } from '../../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import type { Answer, Exchange } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { canonicalOrigin, originIsAt } from '../origin/web-origin.ts';
import { type CapturedFragment, FragmentCookie } from './fragment-cookie.ts';
import { fragmentPage } from './fragment-page.ts';

/** Redirects that a browser follows with a GET of its own or repeats as one. */
const REDIRECTS = new Set([302, 303, 307]);
const LONGEST_FORM = 16_384;

const cookie = z
  .strictObject({
    name: text()
      .refine((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name), 'is not the name of a cookie')
      .default('ig-fragment-cookie')
      .describe('Name of the cookie.'),
    domain: text()
      .refine((domain) => /^[\w.-]+$/.test(domain), 'is not a domain')
      .optional()
      .describe('Domain of the cookie; by default the host of the request alone.'),
    path: text()
      .refine((path) => /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path), 'is not a path')
      .default('/')
      .describe('Path of the cookie.'),
    maxAge: duration().prefault('1 hour').describe('Maximum duration of a login.'),
    httpOnly: flag().default(true).describe('Whether the cookie is hidden from scripts (`HttpOnly`).'),
    secure: flag().default(false).describe('Whether the cookie is sent over TLS only.'),
    sameSite: choice(['STRICT', 'LAX', 'NONE'])
      .default('LAX')
      .describe('`SameSite` attribute of the cookie. With `STRICT` a login on another site cannot work.'),
  })
  .check(
    rulesAbout(['sameSite', 'secure'], ({ sameSite, secure }, add) => {
      if (sameSite !== 'NONE' || secure) return;
      add(['secure'], "must be true where 'sameSite' is NONE: browsers drop the cookie otherwise");
    }),
  );

/** Brings users back to the very place of a page that they asked for before they had to log in. */
export const fragmentFilter = defineFilter({
  type: 'FragmentFilter',
  summary:
    'Preserves the fragment of a URI (the part after `#`, which browsers do not send) during a login. When a ' +
    'page request is answered with a redirect to another origin, the browser gets a small page instead. This ' +
    'page sends the fragment to the capture endpoint, which stores it in a cookie, and then follows the ' +
    'redirect. When the browser requests the same URI again after the login, it is redirected to the URI with ' +
    'the fragment. Only the latest fragment is kept. Put the filter before the filter that starts the login. ' +
    'Redirects within the same origin keep the fragment anyway and are not changed; the same holds for requests ' +
    'that do not open a page.',
  config: z.strictObject({
    fragmentCaptureEndpoint: text()
      .refine(isPath, 'must be a path such as /orders/fragment, or a URL with one')
      .describe('Path, or URL with the path, of the capture endpoint. The condition of the route must match it.'),
    noJavaScriptMessage: text()
      .optional()
      .describe('Text that browsers without JavaScript show above the link to the login.'),
    cookie: cookie.prefault({}).describe('Cookie that stores the fragment.'),
  }),
  examples: [
    {
      title: 'Preserve fragments of paths below /orders',
      config: {
        fragmentCaptureEndpoint: '/orders/fragment',
        noJavaScriptMessage: 'JavaScript is off: after the login you will land at the top of the page.',
        cookie: { secure: true },
      },
    },
  ],
  create({ fragmentCaptureEndpoint, noJavaScriptMessage, cookie }, parts) {
    const denied = denials(parts, ['origin', 'fragment']);
    const endpoint = pathOf(fragmentCaptureEndpoint);
    const fragments = new FragmentCookie(cookie);
    const page = fragmentPage(endpoint, noJavaScriptMessage ?? null);

    function capture(response: Response, exchange: Exchange): Response {
      return REDIRECTS.has(response.status) ? captured(response, exchange) : response;
    }

    function captured(response: Response, exchange: Exchange): Response {
      const login = absoluteLocation(response);
      if (login === null || originIsAt(login.origin, exchange.router.originalUri.authority)) return response;
      const answer = page.response(login.href, exchange.router.originalUri.target);
      for (const line of response.headers.all('set-cookie')) answer.headers.append('Set-Cookie', line);
      response.abandon();
      return answer;
    }

    function restored(response: Response, { target, fragment }: CapturedFragment): Response {
      response.abandon();
      const answer = new Response(302);
      answer.headers.append('Location', `${target}#${fragment}`);
      answer.headers.append('Set-Cookie', fragments.removal);
      answer.headers.append('Cache-Control', 'no-store');
      return answer;
    }

    async function takeFragment(exchange: Exchange): Promise<Response> {
      const origin = canonicalOrigin(exchange.request.headers.get('origin') ?? '');
      const { authority } = exchange.router.originalUri;
      if (origin === null || !originIsAt(origin, authority)) {
        const reason = 'a page of another origin sent the fragment';
        return denied.answer(exchange, 'origin', () => ({ origin, authority }), reason);
      }
      const form = await exchange.request.entity.form(LONGEST_FORM);
      const sent: CapturedFragment = { target: form.get('target') ?? '', fragment: form.get('fragment') ?? '' };
      const line = fragments.write(sent);
      const answer = line === null ? denied.answer(exchange, 'fragment') : new Response(204);
      if (line !== null) answer.headers.append('Set-Cookie', line);
      answer.headers.append('Cache-Control', 'no-store');
      return answer;
    }

    return function keepFragment(exchange, next): Answer {
      const { request } = exchange;
      if (request.method === 'POST' && exchange.router.originalUri.rawPath === endpoint) return takeFragment(exchange);
      if (!opensPage(exchange)) return next(exchange);
      const kept = fragments.read(request.headers);
      if (kept === null || kept.target !== exchange.router.originalUri.target) {
        return mapResponse(next(exchange), exchange, capture);
      }
      return mapResponse(next(exchange), exchange, (response) =>
        response.status >= 200 && response.status < 300 ? restored(response, kept) : capture(response, exchange),
      );
    };
  },
});

/** Whether a browser wants to show the answer in a window of its own. */
function opensPage({ request, router }: Exchange): boolean {
  if (request.method !== 'GET' || router.originalUri.rawPath.startsWith('//')) return false;
  const destination = request.headers.get('sec-fetch-dest');
  if (destination !== null) return destination === 'document';
  return request.headers.get('accept')?.includes('text/html') === true;
}

/** Where a redirect leads if it names the place in full. */
function absoluteLocation(response: Response): { origin: string; href: string } | null {
  const href = response.headers.get('location') ?? '';
  const url = /^https?:\/\//i.test(href) ? URL.parse(href) : null;
  return url === null ? null : { origin: url.origin, href: url.href };
}

function isPath(endpoint: string): boolean {
  return /^\/(?!\/)/.test(pathOf(endpoint)) && !/[?#]/.test(endpoint);
}

function pathOf(endpoint: string): string {
  return endpoint.startsWith('/') ? endpoint : (URL.parse(endpoint)?.pathname ?? '');
}
