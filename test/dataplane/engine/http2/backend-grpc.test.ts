import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { KNOWN_HTTP2 } from '../../../support/gateways/proxied-http2.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const codec = {
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};

/** A real service and a real client, with the engine between them. */
async function startService(): Promise<Client> {
  const server = new Server();
  server.addService(
    {
      Echo: { path: '/test.Service/Echo', requestStream: false, responseStream: false, ...codec },
      Chat: { path: '/test.Service/Chat', requestStream: true, responseStream: true, ...codec },
    },
    {
      Echo(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        const text = call.request.toString();
        if (text === 'fail') answer({ code: status.PERMISSION_DENIED, details: 'not ü' });
        else if (text !== 'wait') answer(null, call.request);
      },
      Chat(call: ServerDuplexStream<Buffer, Buffer>) {
        call.on('data', (bytes: Buffer) => call.write(Buffer.from(bytes.toString().toUpperCase())));
        call.on('end', () => call.end());
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const gateway = await startGateway({ backend: { destination: { host: '127.0.0.1', port }, ...KNOWN_HTTP2 } });
  const client = new Client(`127.0.0.1:${gateway.port}`, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    server.forceShutdown();
    await gateway.close();
  });
  return client;
}

function echo(client: Client, content: Buffer, deadline?: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = deadline === undefined ? {} : { deadline: Date.now() + deadline };
    client.makeUnaryRequest('/test.Service/Echo', asIs, asIs, content, options, (error, answer) =>
      error === null ? resolve(answer!) : reject(error),
    );
  });
}

describe('gRPC', () => {
  it('gets its answers, with their status in trailers', async () => {
    const client = await startService();
    expect((await echo(client, Buffer.from('hello'))).toString()).toBe('hello');
    const large = Buffer.alloc(2_000_000, 'x');
    expect((await echo(client, large)).equals(large)).toBe(true);
    const many = await Promise.all(Array.from({ length: 50 }, (_, i) => echo(client, Buffer.from(String(i)))));
    expect(many.map(String)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  });

  it('gets failures and unknown methods as gRPC status', async () => {
    const client = await startService();
    await expect(echo(client, Buffer.from('fail'))).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: 'not ü',
    });
    const unknown = new Promise((_, reject) => {
      client.makeUnaryRequest('/test.Service/None', asIs, asIs, Buffer.alloc(0), reject);
    });
    await expect(unknown).rejects.toMatchObject({ code: status.UNIMPLEMENTED } satisfies Partial<ServiceError>);
  });

  it('ends at its deadline', async () => {
    const client = await startService();
    await expect(echo(client, Buffer.from('wait'), 200)).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect((await echo(client, Buffer.from('after'))).toString()).toBe('after');
  });

  it('talks both ways at the same time', async () => {
    const client = await startService();
    const call = client.makeBidiStreamRequest('/test.Service/Chat', asIs, asIs);
    const heard: string[] = [];
    const ended = new Promise((resolve) => call.on('end', resolve));
    for (const word of ['one', 'two', 'three']) {
      const next = new Promise<Buffer>((resolve) => call.once('data', resolve));
      call.write(Buffer.from(word));
      heard.push((await next).toString());
    }
    call.end();
    await ended;
    expect(heard).toEqual(['ONE', 'TWO', 'THREE']);
  });
});
