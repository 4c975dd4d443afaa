import { connect as connectHttp2 } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME, MOST_31_BITS, read31 } from '../../../../dataplane/engine/frames/frames.ts';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { FrameClient, frame, GET, headersFrame } from '../../../support/clients/frame-client.ts';
import { parseAnswers, RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

const ASK = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';

let gateway: TestGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

async function started(handler: Next = () => textResponse(200, 'hello')): Promise<TestGateway> {
  gateway = await startGateway({ handler: () => handler });
  return gateway;
}

const goaways = (client: FrameClient): [number, number][] =>
  client.frames
    .filter(({ type }) => type === FRAME.GOAWAY)
    .map(({ payload }) => [read31(payload, 0), payload.readUInt32BE(4)]);

describe('clients that are asked to disconnect', () => {
  it('get Connection: close with the next HTTP/1 response, on old and new connections', async () => {
    const { port, listener } = await started();
    const old = await RawClient.connect(port);
    old.send(ASK);
    await old.until((text) => text.endsWith('hello'));
    expect(parseAnswers(old.text)[0]!.headers.has('connection')).toBe(false);
    listener.dismiss();
    const young = await RawClient.connect(port);
    for (const client of [old, young]) {
      client.send(ASK);
      expect(parseAnswers(await client.untilClosed()).at(-1)).toMatchObject({ status: 200, body: 'hello' });
      expect(parseAnswers(client.text).at(-1)!.headers.get('connection')).toBe('close');
    }
    young.destroy();
    old.destroy();
  });

  it('get all responses to pipelined requests, and Connection: close with the last one', async () => {
    const { port, listener } = await started(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return textResponse(200, 'hello');
    });
    listener.dismiss();
    const client = await RawClient.connect(port);
    client.send(ASK + ASK + ASK);
    const answers = parseAnswers(await client.untilClosed());
    expect(answers.map(({ body, headers }) => [body, headers.get('connection')])).toEqual([
      ['hello', undefined],
      ['hello', undefined],
      ['hello', 'close'],
    ]);
    client.destroy();
  });

  it('may stay idle until the listener stops accepting', async () => {
    const { port, listener } = await started();
    const client = await RawClient.connect(port);
    client.send(ASK);
    await client.until((text) => text.endsWith('hello'));
    const before = listener.patience;
    listener.dismiss();
    expect(listener.patience).toBe(before);
    const drained = listener.drain(20_000);
    expect(listener.patience).toBeLessThan(before);
    await client.untilClosed();
    client.destroy();
    expect(await drained).toBe(0);
  });

  it('get two HTTP/2 GOAWAY frames, first without and then with the last stream', async () => {
    const { port, listener } = await started();
    const client = await FrameClient.connect(port);
    client.send(headersFrame(1, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
    expect(await client.whole(1)).toBe('hello');
    listener.dismiss();
    const ping = await client.until(({ type }) => type === FRAME.PING);
    client.send(headersFrame(3, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
    expect(await client.whole(3)).toBe('hello');
    expect(goaways(client)).toHaveLength(1);
    client.send(frame(FRAME.PING, FLAG.ACK, 0, ping!.payload));
    await client.raw.untilClosed();
    expect(goaways(client)).toEqual([
      [MOST_31_BITS, ERROR.NO_ERROR],
      [3, ERROR.NO_ERROR],
    ]);
    client.raw.destroy();
  });

  it('get GOAWAY on a new HTTP/2 session only after the first request, which is answered', async () => {
    const { port, listener } = await started();
    listener.dismiss();
    const client = await FrameClient.connect(port);
    await client.until(({ type, flags }) => type === FRAME.SETTINGS && flags === FLAG.ACK);
    expect(goaways(client)).toEqual([]);
    client.send(headersFrame(1, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
    expect(await client.whole(1)).toBe('hello');
    const drained = listener.drain(20_000); // who does not answer the ping has a while
    await client.raw.untilClosed();
    expect(await drained).toBe(0);
    expect(goaways(client)).toEqual([
      [MOST_31_BITS, ERROR.NO_ERROR],
      [1, ERROR.NO_ERROR],
    ]);
    client.raw.destroy();
  });

  it('lose no request of a client of HTTP/2 that obeys', async () => {
    const { port, listener } = await started();
    listener.dismiss();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const farewell = new Promise<number>((resolve) => session.once('goaway', resolve));
    const closed = new Promise((resolve) => session.once('close', resolve));
    const status = await new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/' });
      stream.on('response', (fields) => resolve(fields[':status'])).on('error', reject);
      stream.resume().end();
    });
    expect(status).toBe(200);
    expect(await farewell).toBe(ERROR.NO_ERROR);
    await closed;
  });
});
