import { expect, it } from 'vitest';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

it('serves a page that explains the product and the next steps', async () => {
  const answer = await send(await serve({ type: 'WelcomeHandler' }), 'GET /');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8');
  expect(answer.body).toContain('Gatewarden is an identity-aware gateway');
  expect(answer.body).toContain('gatewarden check');
});

it('needs nothing from elsewhere', async () => {
  const { body, headers } = await send(await serve({ type: 'WelcomeHandler' }), 'GET /');
  expect(body).not.toMatch(/<(?:script|link|img|iframe)|src=|@import|url\(/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});

it('shows a route that is one', async () => {
  const { body } = await send(await serve({ type: 'WelcomeHandler' }), 'GET /');
  const { handler } = JSON.parse(/<pre>([^<]*)<\/pre>/.exec(body)![1]!);
  expect(problemsOf(handler)).toEqual([]);
});

it('has no fields', () => {
  expect(problemsOf({ type: 'WelcomeHandler', config: { page: 'x' } })).toEqual([
    "unknown-field handler.config.page: there is no field 'page' here",
  ]);
});
