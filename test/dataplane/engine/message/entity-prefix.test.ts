import { afterEach, describe, expect, it } from 'vitest';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { ask } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway?.close());

describe('the first bytes of an entity', () => {
  it('can be read repeatedly, and the rest still arrives', async () => {
    const seen: string[] = [];
    gateway = await startGateway({
      handler: () => async (exchange) => {
        for (const limit of [0, 3, 8, 9]) {
          const { bytes, whole } = await exchange.request.entity.prefix(limit);
          seen.push(`${bytes} ${whole}`);
        }
        const response = new Response(200);
        response.entity.set(await exchange.request.entity.bytes());
        return response;
      },
    });
    const answer = await ask(gateway.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n', '12345678');
    expect(answer.body).toBe('12345678');
    expect(seen).toEqual([' false', '123 false', '12345678 true', '12345678 true']);
  });

  it('are awaited, with 100 Continue if the client expects it', async () => {
    gateway = await startGateway({
      handler: () => async (exchange) => {
        const { bytes, whole } = await exchange.request.entity.prefix(4);
        const response = new Response(200);
        response.entity.set(`${bytes} ${whole}`);
        return response;
      },
    });
    const client = await RawClient.connect(gateway.port);
    client.send('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n');
    await client.until((text) => text.includes('100 Continue'));
    client.send('123');
    client.send('456');
    expect(await client.untilClosed()).toMatch(/\r\n\r\n1234 false$/);
    client.destroy();
  });

  it('can be read from a stream, which continues afterwards', async () => {
    async function* words(): AsyncGenerator<Uint8Array> {
      for (const word of ['one ', 'two ', 'three']) yield Buffer.from(word);
    }
    const seen: string[] = [];
    gateway = await startGateway({
      handler: () => async () => {
        const response = new Response(200);
        response.entity.setStream(words());
        for (const limit of [5, 100]) {
          const { bytes, whole } = await response.entity.prefix(limit);
          seen.push(`${bytes}|${whole}`);
        }
        return response;
      },
    });
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\n')).body).toBe('one two three');
    expect(seen).toEqual(['one t|false', 'one two three|true']);
  });

  it('of a stream that breaks fail, and so does sending it', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('broken');
    }
    const failures: unknown[] = [];
    gateway = await startGateway({
      handler: () => async () => {
        const response = new Response(200);
        response.entity.setStream(broken());
        await response.entity.prefix(100).catch((error: unknown) => failures.push(error));
        return response;
      },
    });
    await expect(ask(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\n')).rejects.toThrow();
    expect(failures).toEqual([new Error('broken')]);
  });
});
