import { describe, expect, it, onTestFinished } from 'vitest';
import { adminFilter } from '../../../dataplane/connectors/admin-protection.ts';
import type { Filter } from '../../../dataplane/engine/message/exchange.ts';
import { Response as Answer } from '../../../dataplane/engine/message/response.ts';
import { textAnswer } from '../../../platform/admin/admin-answer.ts';
import { openGuard, pageGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';

/** A server with protected paths, and one that is not. */
async function served(protect: Filter) {
  const calls: string[] = [];
  const faults: unknown[] = [];
  const filter = adminFilter(protect);
  const row = { guard: pageGuard, filter, longestBody: 1000 };
  const table = new AdminTable([
    {
      ...{ ...row, method: '*', path: '/api/*' },
      answer({ method, path, search, body, header }) {
        calls.push([method, path, search, body.toString(), header('x-user')].join(' '));
        return { ...textAnswer(200, 'answered'), headers: { etag: '"1"' } };
      },
    },
    { method: 'GET', path: '/open', guard: openGuard, answer: () => textAnswer(200, 'open') },
  ]);
  const server = new AdminServer({ table: () => table, guard: openGuard, failed: (error) => faults.push(error) });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, init);
  return { ask, calls, faults };
}

const passing: Filter = (exchange, next) => next(exchange);

describe('a filter in front of the admin port', () => {
  it('sees the body, and passes on what it makes of the request', async () => {
    const { ask, calls } = await served(async (exchange, next) => {
      const { request } = exchange;
      const body = (await request.entity.bytes()).toString();
      if (body.includes('evil')) return new Answer(403);
      request.headers.set('X-User', 'ann');
      request.entity.set(body.toUpperCase());
      return next(exchange);
    });
    expect((await ask('/api/a?b=c', { method: 'PUT', body: 'kind' })).status).toBe(200);
    expect((await ask('/api/a', { method: 'PUT', body: 'evil' })).status).toBe(403);
    expect(calls).toEqual(['PUT /api/a b=c KIND ann']);
  });

  it('sees the method that counts', async () => {
    const { ask, calls } = await served((exchange, next) =>
      exchange.request.method === 'DELETE' ? new Answer(403) : next(exchange),
    );
    const headers = { 'x-http-method-override': 'DELETE' };
    expect((await ask('/api/a', { method: 'POST', headers })).status).toBe(403);
    expect((await ask('/api/a', { method: 'DELETE' })).status).toBe(403);
    expect((await ask('/api/a', { method: 'POST', headers: { 'x-http-method-override': 'PATCH' } })).status).toBe(200);
    expect(calls).toEqual(['PATCH /api/a   ']);
  });

  it('gives its own responses to clients, with all of their headers', async () => {
    const { ask, calls } = await served((exchange, next) => {
      if (exchange.request.headers.has('x-key')) return next(exchange);
      const answer = new Answer(401);
      answer.headers.set('WWW-Authenticate', 'Basic realm="admin"');
      answer.headers.append('Set-Cookie', 'a=1');
      answer.headers.append('Set-Cookie', 'b=2');
      answer.headers.set('Content-Type', 'text/html');
      answer.entity.set('<p>sign in</p>');
      return answer;
    });
    const refused = await ask('/api/a');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="admin"');
    expect(refused.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([refused.headers.get('content-type'), await refused.text()]).toEqual(['text/html', '<p>sign in</p>']);
    const admitted = await ask('/api/a', { headers: { 'x-key': 'k' } });
    expect([admitted.headers.get('etag'), await admitted.text()]).toEqual(['"1"', 'answered\n']);
    expect(calls.length).toBe(1);
  });

  it('may change the answer', async () => {
    const { ask } = await served(async (exchange, next) => {
      const answer = await next(exchange);
      answer.headers.set('X-Seen', (await answer.entity.bytes()).toString().trim());
      answer.status = 202;
      return answer;
    });
    const answer = await ask('/api/a');
    expect([answer.status, answer.headers.get('x-seen')]).toEqual([202, 'answered']);
  });

  it('refuses when it fails', async () => {
    const { ask, calls, faults } = await served(() => {
      throw new Error('broken');
    });
    expect((await ask('/api/a')).status).toBe(500);
    expect([calls.length, faults.length]).toEqual([0, 1]);
  });

  it('does not lead to paths that it does not stand in front of', async () => {
    const { ask } = await served((exchange, next) => {
      exchange.request.uri = `http://localhost${exchange.request.headers.get('x-to')}`;
      return next(exchange);
    });
    expect((await ask('/api/a', { headers: { 'x-to': '/open' } })).status).toBe(404);
    expect((await ask('/api/a', { headers: { 'x-to': '/api/b' } })).status).toBe(200);
  });

  it.each(['content-length', 'chunked'])('is in front of bodies of bounded length, sent with %s', async (framing) => {
    const { ask, calls } = await served(passing);
    const text = 'x'.repeat(1001);
    const body = framing === 'chunked' ? new Blob([text]).stream() : text;
    const init = { method: 'PUT', body, duplex: 'half' } as RequestInit;
    expect((await ask('/api/a', init)).status).toBe(413);
    expect((await ask('/api/a', { method: 'PUT', body: 'x'.repeat(1000) })).status).toBe(200);
    expect(calls.length).toBe(1);
  });

  it('admits no pages of other origins, and those of its own', async () => {
    const { ask, calls } = await served(passing);
    expect((await ask('/api/a', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await ask('/api/a', { headers: { origin: 'null' } })).status).toBe(403);
    expect(calls).toEqual([]);
    expect((await ask('/open', { headers: { origin: 'https://evil.example' } })).status).toBe(200);
  });
});
