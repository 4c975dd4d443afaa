import { lookup } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eachRequest, plainAnswer, type ScriptedBackend } from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import type { RawAnswer } from '../../../support/clients/raw-client.ts';
import { get, type ProxiedBackendOptions, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const usual = eachRequest((request) => plainAnswer(`for ${request.target}`));

interface Reached {
  readonly answer: RawAnswer;
  /** What the egress check was asked. */
  readonly judged: string[];
  readonly backend: ScriptedBackend;
}

/** Sends one request to a backend, by a name of it, through an egress check. */
async function reach(
  options: Pick<ProxiedBackendOptions, 'host' | 'listen'>,
  allows: (address: string) => boolean = () => true,
): Promise<Reached> {
  const judged: string[] = [];
  const mayReach = (address: string, port: number): boolean => {
    judged.push(`${address} ${port}`);
    return allows(address);
  };
  const { backend, client } = await startProxiedBackend(usual, { ...options, backend: { mayReach } });
  const asking = await client();
  asking.send(get('/here'));
  const [answer] = await untilAnswers(asking, 1);
  return { answer: answer!, judged, backend };
}

describe('the egress check', () => {
  it.each(['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f.1', 'LOCALHOST'])(
    'checks the address that %s resolves to',
    async (host) => {
      const refused = await reach({ host }, (address) => address !== '127.0.0.1' && address !== '::1');
      expect(refused.answer.status).toBe(403);
      expect(refusalOf(refused.answer)).toBe('backend-egress');
      expect(refused.backend.connections).toBe(0);
      expect(refused.judged).toContain(`127.0.0.1 ${refused.backend.port}`);
      const allowed = await reach({ host }, (address) => address === '127.0.0.1');
      expect(allowed.answer).toMatchObject({ status: 200, body: 'for /here' });
    },
  );

  it('is resolved for each connection, not once', async () => {
    let allowed = true;
    const pair = await startProxiedBackend(usual, { backend: { mayReach: () => allowed, reuse: false } });
    const client = await pair.client();
    client.send(get('/first'));
    await untilAnswers(client, 1);
    allowed = false;
    client.send(get('/second'));
    const answers = await untilAnswers(client, 2);
    expect(answers.map((answer) => answer.status)).toEqual([200, 403]);
    expect(pair.backend.connections).toBe(1);
  });

  it('refuses when it throws', async () => {
    const pair = await startProxiedBackend(usual, {
      backend: {
        mayReach: () => {
          throw new Error('cannot decide');
        },
      },
    });
    const client = await pair.client();
    client.send(get('/'));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBeGreaterThanOrEqual(400);
    expect(pair.backend.connections).toBe(0);
  });
});

describe('a destination', () => {
  it('may be an IPv6 address', async () => {
    const { answer, judged, backend } = await reach({ listen: { port: 0, host: '::1' } });
    expect(answer).toMatchObject({ status: 200, body: 'for /here' });
    expect(judged).toEqual([`::1 ${backend.port}`]);
  });

  it('may be a Unix-domain socket, which an egress check by address cannot cover', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatewarden-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const pair = await startProxiedBackend(usual, { listen: { path: join(folder, 'backend.sock') } });
    const client = await pair.client();
    for (let i = 0; i < 3; i++) {
      client.send(get(`/${i}`));
      expect((await untilAnswers(client, i + 1)).at(-1)!.body).toBe(`for /${i}`);
    }
    expect(pair.backend.connections).toBe(1);
  });

  it('is a 502 when its Unix-domain socket does not exist', async () => {
    const pair = await startProxiedBackend(usual, {
      backend: { destination: { path: join(tmpdir(), 'no-gatewarden-listens-here.sock') } },
    });
    const client = await pair.client();
    client.send(get('/'));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toBe('backend-connect');
  });

  it.each([
    ['does not exist', 'nobody.invalid'],
    ['cannot exist', `${'x'.repeat(64)}.invalid`],
  ])('is a 502 when its name %s', async (_case, host) => {
    const { answer, judged, backend } = await reach({ host });
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-address');
    expect(judged).toEqual([]);
    expect(backend.connections).toBe(0);
  });

  it.each(['127.0.0.1', '::1'])('is tried at each address of its name until one listens: %s', async (listens) => {
    const addresses = await lookup('localhost', { all: true });
    const known = addresses.some((entry) => entry.address === listens);
    const pair = await startProxiedBackend(usual, {
      listen: { port: 0, host: listens },
      host: 'localhost',
      backend: { reuse: false },
    });
    const client = await pair.client();
    for (let i = 0; i < 4; i++) {
      client.send(get('/here'));
      const answers = await untilAnswers(client, i + 1);
      expect(answers.at(-1)!.status).toBe(known ? 200 : 502);
    }
  });

  it('that is a name gets the Host that the client sent', async () => {
    const { backend } = await reach({ host: 'localhost' });
    expect(backend.requests[0]!.headers).toContainEqual(['host', 'gateway.test']);
  });
});
