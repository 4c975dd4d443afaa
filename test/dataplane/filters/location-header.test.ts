import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const PUBLIC = { baseURI: 'https://public.example:8443' };

describe('LocationHeaderFilter', () => {
  it.each([
    // as observed of OpenIG
    { config: {}, status: 302, location: 'http://other.example/abs', sent: 'http://gw.test/abs' },
    { config: {}, status: 201, location: 'http://app.test/c', sent: 'http://gw.test/c' },
    { config: PUBLIC, status: 302, location: 'http://app.test/abs?x=1', sent: 'https://public.example:8443/abs?x=1' },
    { config: PUBLIC, status: 302, location: 'http://other.example/abs', sent: 'https://public.example:8443/abs' },
    { config: PUBLIC, status: 201, location: 'http://app.test/c', sent: 'https://public.example:8443/c' },
    // beyond
    { config: PUBLIC, status: 302, location: '/path?q#f', sent: 'https://public.example:8443/path?q#f' },
    { config: PUBLIC, status: 302, location: '//app.test/x', sent: 'https://public.example:8443/x' },
    { config: PUBLIC, status: 302, location: 'https://u:p@app.test:99?q', sent: 'https://public.example:8443?q' },
    { config: PUBLIC, status: 302, location: 'HTTP://[::1]:80/x', sent: 'https://public.example:8443/x' },
    { config: PUBLIC, status: 302, location: 'next?a=b:c', sent: 'next?a=b:c' },
    { config: PUBLIC, status: 302, location: '../x', sent: '../x' },
    { config: PUBLIC, status: 302, location: 'myapp://callback?code=1', sent: 'myapp://callback?code=1' },
    { config: PUBLIC, status: 302, location: 'mailto:a@b', sent: 'mailto:a@b' },
    {
      config: { baseURI: "https://${request.headers['X-Name'][0]}:${response.status.code}" },
      status: 302,
      location: 'http://app.test/x',
      sent: 'https://named.example:302/x',
    },
  ])('$config: $location becomes $sent', async ({ config, status, location, sent }) => {
    const { ask } = await startFiltered([{ type: 'LocationHeaderFilter', config }]);
    const target = `/t?status=${status}&h.location=${encodeURIComponent(location)}&entity=body`;
    const answer = await ask(target, { headers: ['X-Name: named.example'] });
    expect(answer.values('location')).toEqual([sent]);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: 'body' });
  });

  it.each([
    { config: {}, location: '::bad' },
    { config: PUBLIC, location: '::bad' },
    { config: PUBLIC, location: 'http:\\\\evil.example/x' },
    { config: PUBLIC, location: 'http://a b/x' },
    { config: PUBLIC, location: 'http:/x' },
    { config: PUBLIC, location: '/\\evil.example' },
    { config: { baseURI: '${nosuch}' }, location: 'http://app.test/x' },
    { config: { baseURI: "${request.headers['X-Name'][0]}" }, location: 'http://app.test/x' },
  ])('$config: $location is answered with an empty 500', async ({ config, location }) => {
    const { ask } = await startFiltered([{ type: 'RedirectFilter', config }]);
    const target = `/t?status=302&h.location=${encodeURIComponent(location)}&entity=body`;
    const answer = await ask(target, { headers: ['X-Name: named.example'] });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 500, body: '' });
    expect(answer.values('location')).toEqual([]);
  });

  it('uses the original URI of the client, even if filters changed it', async () => {
    const { ask } = await startFiltered([
      { type: 'LocationHeaderFilter' },
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { Host: ['inner.example'] } } },
    ]);
    const answer = await ask('/t?h.location=http://app.test/x', { host: 'pub.example:8080' });
    expect(answer.values('location')).toEqual(['http://pub.example:8080/x']);
    expect((await ask('/t?entity=plain')).body).toBe('plain');
  });

  it('uses the original URI that a trusted proxy reports', async () => {
    const { ask } = await startFiltered([{ type: 'LocationHeaderFilter' }], undefined, {
      trustedProxies: ['127.0.0.1'],
    });
    const headers = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: www.example'];
    const answer = await ask('/t?h.location=http://app.test/x', { headers });
    expect(answer.values('location')).toEqual(['https://www.example/x']);
  });

  it.each([
    [{ baseURI: 'nowhere' }, ["value baseURI: is not an absolute http or https URI: 'nowhere'"]],
    [{ baseURI: 'ftp://x' }, ["value baseURI: is not an absolute http or https URI: 'ftp://x'"]],
    [{ baseURI: 1 }, ['value baseURI: must be a string, not a number']],
    [{ base: 'x' }, ["unknown-field base: there is no field 'base' here"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('LocationHeaderFilter', config)).toEqual(problems);
  });
});
