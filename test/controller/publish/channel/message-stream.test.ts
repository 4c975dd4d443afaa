import { connect } from 'node:http2';
import { Client, type ClientDuplexStream, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { bytesMethod } from '../../../../contract/channel-codec.ts';
import { MessageStream } from '../../../../controller/publish/channel/message-stream.ts';

const method = bytesMethod('/test.Streams/Talk');
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server, and the first stream that it gets. */
async function listening(): Promise<{ readonly port: number; readonly arrived: Promise<MessageStream> }> {
  const server = new Server();
  closing.push(() => server.forceShutdown());
  const arrived = new Promise<MessageStream>((resolve) => {
    const talk = (call: ConstructorParameters<typeof MessageStream>[0]): void => resolve(new MessageStream(call));
    server.addService({ Talk: method }, { Talk: talk });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('localhost:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, arrived };
}

/** Both ends of a stream. */
async function connected(): Promise<[MessageStream, ClientDuplexStream<Buffer, Buffer>]> {
  const { port, arrived } = await listening();
  const client = new Client(`localhost:${port}`, credentials.createInsecure());
  closing.push(() => client.close());
  const { path, requestSerialize, responseDeserialize } = method;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  call.on('error', () => undefined);
  call.write(Buffer.from('first'));
  return [await arrived, call];
}

/** Waits until nothing more happens to a figure. */
async function settled(figure: () => number): Promise<number> {
  for (let last = -1, turns = 0; turns < 500; turns++) {
    if (figure() !== last) turns = 0;
    last = figure();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return figure();
}

it('reads no faster than the other side', async () => {
  const { port, arrived } = await listening();
  const session = connect(`http://localhost:${port}`);
  closing.push(() => session.destroy());
  // A peer of HTTP/2 alone, since the gRPC library reads on when its user does not.
  const request = session.request({
    ':method': 'POST',
    ':path': method.path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const stream = await arrived;
  let sent = 0;
  let last: boolean | null = null;
  const sending = (async () => {
    for (let piece = 0; piece < 400; piece++) {
      last = await stream.send(Buffer.alloc(256 * 1024));
      if (!last) return;
      sent++;
    }
  })();
  expect(await settled(() => sent)).toBeLessThan(5);
  expect(stream.isBusy).toBe(true);
  request.close();
  await sending;
  expect(last).toBe(false);
  expect(await stream.send(Buffer.alloc(1))).toBe(false);
});

it('buffers messages after the first one until there is a listener', async () => {
  const [stream, call] = await connected();
  call.write(Buffer.from('second'));
  call.write(Buffer.from('third'));
  expect(String(await stream.first(10_000))).toBe('first');
  await settled(() => 0);
  const rest = new Promise<string[]>((resolve) => {
    const heard: string[] = [];
    stream.listen(
      (bytes) => {
        heard.push(String(bytes));
        if (heard.length === 2) resolve(heard);
      },
      () => undefined,
    );
  });
  expect(await rest).toEqual(['second', 'third']);
});

it('reports its end once, also to a late listener', async () => {
  const [stream, call] = await connected();
  const over = new Promise<void>((resolve) => stream.signal.addEventListener('abort', () => resolve()));
  call.cancel();
  await over;
  let closed = 0;
  stream.listen(
    () => undefined,
    () => closed++,
  );
  stream.end();
  stream.fail('UNAVAILABLE', 'no');
  expect(closed).toBe(1);
  expect(await stream.first(10_000)).toBeNull();
});
