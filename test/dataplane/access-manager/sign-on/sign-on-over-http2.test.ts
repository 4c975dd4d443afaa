import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { DEMO } from '../../../support/access-manager/am-identities.ts';
import { FAR_APP, formOf, startSignOn } from '../../../support/access-manager/sign-on-gateway.ts';

const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const sessionInfo = { type: 'SessionInfoFilter', config: { amService: 'AmService-1' } };

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Cookies that it sets, as `name=value`. */
  readonly cookies: string[];
}

/** Sends requests over one connection with HTTP/2. */
function http2Client(port: number): (headers: OutgoingHttpHeaders, content?: string) => Promise<Answer> {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  return async (headers, content = '') => {
    const stream = session.request({ ':authority': new URL(FAR_APP).host, ...headers }, { endStream: false });
    let head: IncomingHttpHeaders = {};
    stream.on('response', (fields) => (head = fields));
    stream.end(content);
    const body = await text(stream);
    const cookies = (head['set-cookie'] ?? []).map((line) => line.slice(0, line.indexOf(';')));
    return { status: Number(head[':status']), headers: head, body, cookies };
  };
}

describe('over HTTP/2', () => {
  it('a SingleSignOnFilter and a SessionInfoFilter find the session among cookies in fields of their own', async () => {
    const am = await startAccessManager({ version: '7.5.0' });
    const { port } = await startSignOn(am, { filters: [sessionInfo], user: '${contexts.amSession.username}' });
    const ask = http2Client(port);
    const cookie = ['a=1', `${am.cookieName}=${am.sessions.create('demo').tokenId}`, 'b=2'];
    const asked = Array.from({ length: 5 }, (_, at) => ask({ ':path': `/${at}`, cookie }));
    const answers = await Promise.all(asked);
    expect(answers.map(({ body }) => body)).toEqual(answers.map((_, at) => `GET /${at} for demo`));
    const other = [...cookie, `${am.cookieName}=${am.sessions.create('demo').tokenId}`];
    expect((await ask({ ':path': '/a', 'sec-fetch-mode': 'cors', cookie: other })).status).toBe(401);
  });

  it('a CrossDomainSingleSignOnFilter signs a user on, and a SessionInfoFilter reads the session', async () => {
    const am = await startAccessManager({ version: '7.5.0' });
    const { port, browser } = await startSignOn(am, {
      type: 'CrossDomainSingleSignOnFilter',
      config: { redirectEndpoint: '/cdsso' },
      filters: [sessionInfo],
      user: '${contexts.amSession.username}',
    });
    const ask = http2Client(port);
    const sent = await ask({ ':path': '/a?x=1', ...NAVIGATION });
    expect(sent.status).toBe(302);
    const user = browser();
    const login = await user.open(String(sent.headers.location));
    const page = await user.open(login.url, { method: 'POST', content: new URLSearchParams({ ...DEMO }).toString() });
    const { action, fields } = formOf(page);
    const form = {
      ':method': 'POST',
      ':path': new URL(action).pathname,
      'content-type': 'application/x-www-form-urlencoded',
      cookie: ['a=1', ...sent.cookies],
    };
    const back = await ask(form, new URLSearchParams(fields).toString());
    expect(back.status).toBe(302);
    const cookie = ['a=1', ...back.cookies.filter((pair) => !pair.endsWith('='))];
    const moved = await ask({ ':path': '/a?x=1&_ig=true', ...NAVIGATION, cookie });
    expect(moved.headers.location).toBe(`${FAR_APP}/a?x=1`);
    expect((await ask({ ':path': '/a?x=1', ...NAVIGATION, cookie })).body).toBe('GET /a?x=1 for demo');
    const again = await ask(form, new URLSearchParams(fields).toString());
    expect(again.status).toBe(500); // a token is accepted once
  });
});
