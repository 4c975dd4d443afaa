import { connect } from 'node:http2';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { invalidToken } from '../../../../dataplane/heap/objects/access-tokens.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { type ProtectedGateway, startProtected } from '../../../support/identity/resource-server.ts';
import { goodToken, ScriptedResolver } from '../../../support/identity/scripted-resolver.ts';

afterEach(() => {
  vi.useRealTimers();
});

const says = '${contexts.oauth2.accessToken.info.sub}';
const named = (name: string, more = {}): ReturnType<typeof goodToken> =>
  goodToken(name, { info: { sub: `sub of ${name}` }, ...more });

interface Line extends ProtectedGateway {
  readonly resolver: ScriptedResolver;
  /** Sends one request after the other on the one connection; what came back, the body or the status. */
  send(...values: string[]): Promise<string[]>;
}

async function startLine(maximumSize = 100): Promise<Line> {
  const resolver = new ScriptedResolver({ a: named('a'), b: async () => named('b'), c: named('c') });
  const gateway = await startProtected(resolver, { cache: { enabled: true, maximumSize } }, { says });
  const client = await RawClient.connect(gateway.gateway.port);
  onTestFinished(() => client.destroy());
  let count = 0;
  return {
    ...gateway,
    resolver,
    async send(...values) {
      const answers: string[] = [];
      for (const value of values) {
        const line = value === '' ? '' : `Authorization: ${value}\r\n`;
        client.send(`GET / HTTP/1.1\r\nHost: gw.test\r\nX-Size: ${'x'.repeat(count % 7)}\r\n${line}\r\n`);
        const all = await untilAnswers(client, ++count);
        const { status, body } = all.at(-1)!;
        answers.push(status === 200 ? body.replace('sub of ', '') : String(status));
      }
      return answers;
    },
  };
}

describe('a connection', () => {
  it('may send one token repeatedly, with other tokens in between', async () => {
    const { send, resolver, counted } = await startLine();
    const values = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'a', 'b', 'a', 'b', 'b', 'c', 'c', 'c'];
    expect(await send(...values.map((token) => `Bearer ${token}`))).toEqual(values);
    expect(resolver.asked).toEqual(['a', 'b', 'c']);
    expect(counted.filter((metric) => metric === 'gw_cache_gets_total')).toHaveLength(values.length);
  });

  it('is not identified by an earlier token', async () => {
    const { send } = await startLine();
    await send('Bearer a', 'Bearer a', 'Bearer a');
    const lines = ['', 'Bearer', 'Basic a', 'Bearer aa', 'Bearer A', 'Bearer a, Bearer a', 'Bearer b', 'Bearer a'];
    expect(await send(...lines)).toEqual(['401', '401', '401', '401', '401', '400', 'b', 'a']);
    expect(await send('Bearer a\r\nAuthorization: Bearer b', 'Bearer b\r\nAuthorization: Bearer a')).toEqual([
      '400',
      '400',
    ]);
  });

  it('rejects a token that has expired since', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const { send, resolver } = await startLine();
    resolver.tell('a', named('a', { expiresAt: Date.now() + 1000 }));
    expect(await send('Bearer a', 'Bearer a', 'Bearer a')).toEqual(['a', 'a', 'a']);
    vi.setSystemTime(Date.now() + 999);
    expect(await send('Bearer a')).toEqual(['a']);
    vi.setSystemTime(Date.now() + 1);
    expect(await send('Bearer a')).toEqual(['401']);
    expect(resolver.asked).toEqual(['a', 'a']);
  });

  it('validates a token again that the cache has removed', async () => {
    const { send, resolver } = await startLine(1);
    await send('Bearer a', 'Bearer a', 'Bearer a');
    resolver.tell('a', invalidToken('revoked'));
    expect(await send('Bearer a', 'Bearer b', 'Bearer a')).toEqual(['a', 'b', '401']);
  });

  it('of HTTP/2 may send many tokens concurrently', async () => {
    const { gateway, resolver } = await startLine();
    const session = connect(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    const tokens = Array.from({ length: 40 }, (_, i) => ['a', 'b', 'b', 'c', 'x'][i % 5]!);
    const answers = await Promise.all(
      tokens.map(async (token) => {
        const stream = session.request({ authorization: `Bearer ${token}` });
        const body = await readText(stream);
        return body === '' ? 'x' : body.replace('sub of ', '');
      }),
    );
    expect(answers).toEqual(tokens);
    expect(new Set(resolver.asked.filter((token) => token !== 'x')).size).toBe(3);
  });

  it('stops using a cache that a new configuration removed', async () => {
    const { send, resolver, close } = await startLine();
    await send('Bearer a', 'Bearer a', 'Bearer a');
    resolver.tell('a', invalidToken('revoked'));
    await close();
    expect(await send('Bearer a')).toEqual(['401']);
  });
});
