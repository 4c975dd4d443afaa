import { once } from 'node:events';
import {
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  credentials,
  Metadata,
  ServerCredentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { deadPort, endpointsAt, inTurn, sendingTo } from '../../support/backends/endpoint-apps.ts';
import { GrpcServer, grpcClient, messagesOf } from '../../support/backends/grpc-service.ts';
import { Http2Backend } from '../../support/backends/http2-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';

const GRPC = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };

async function startServer(): Promise<GrpcServer> {
  const server = await GrpcServer.start('shop', ServerCredentials.createInsecure());
  onTestFinished(() => server.stop());
  return server;
}

function clientOf({ port }: ConfiguredGateway): ReturnType<typeof grpcClient> {
  const client = grpcClient('shop', port, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

interface Outcome {
  readonly error: ServiceError | null;
  readonly message: string | null;
}

function ask(client: ReturnType<typeof grpcClient>, method: string, text: string, options = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    client[method]!(Buffer.from(text), new Metadata(), options, (error: ServiceError | null, reply?: Buffer) =>
      resolve({ error, message: reply?.toString() ?? null }),
    );
  });
}

const through = (ports: readonly number[], config: JsonObject = {}): JsonObject =>
  sendingTo(inTurn(endpointsAt(...ports), config), GRPC);

describe('gRPC over several endpoints', () => {
  it('carries calls and streams of all kinds', async () => {
    const servers = [await startServer(), await startServer()];
    const client = clientOf(await serve(through(servers.map(({ port }) => port))));
    for (const word of ['one', 'two', 'three', 'four']) {
      expect(await ask(client, 'unary', word)).toEqual({ error: null, message: word });
    }
    expect((await ask(client, 'fail', 'x')).error?.code).toBe(status.FAILED_PRECONDITION);
    const many = await messagesOf(client['many']!(Buffer.from([50])) as ClientReadableStream<Buffer>);
    expect(many.map((message) => message[0])).toEqual(Array.from({ length: 50 }, (_, i) => i));
    const gathered = await new Promise((resolve) => {
      const stream = client['gather']!((_error: ServiceError | null, message?: Buffer) =>
        resolve(message?.toString()),
      ) as ClientWritableStream<Buffer>;
      for (let i = 0; i < 100; i++) stream.write(Buffer.alloc(20_000, i));
      stream.end();
    });
    expect(gathered).toBe('100 2000000');
    const talk = client['talk']!() as ClientDuplexStream<Buffer, Buffer>;
    for (const word of ['here', 'there']) {
      talk.write(Buffer.from(word));
      const [message] = (await once(talk, 'data')) as [Buffer];
      expect(message.toString()).toBe(`you said ${word}`);
    }
    talk.end();
    const [{ code }] = (await once(talk, 'status')) as [{ code: number }];
    expect(code).toBe(status.OK);
  });

  it('passes cancellations and deadlines on', async () => {
    const server = await startServer();
    const client = clientOf(await serve(through([server.port])));
    const call = client['never']!(Buffer.from('x'), () => {}) as ClientUnaryCall;
    call.on('error', () => {});
    const late = await ask(client, 'never', 'x', { deadline: Date.now() + 1000 });
    expect(late.error?.code).toBe(status.DEADLINE_EXCEEDED);
    call.cancel();
    await vi.waitUntil(() => server.cancelled === 2, { timeout: 20_000 });
  });

  it('loses no call to an endpoint that is dead', async () => {
    const server = await startServer();
    const client = clientOf(await serve(through([await deadPort(), server.port])));
    for (let i = 0; i < 6; i++) expect(await ask(client, 'unary', `${i}`)).toEqual({ error: null, message: `${i}` });
  });

  it('ejects an endpoint whose streams break off', async () => {
    const breaking = await Http2Backend.start((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(Buffer.alloc(10));
      stream.close(2);
    });
    onTestFinished(() => breaking.close());
    const server = await startServer();
    const ports = [breaking.destination.port, server.port];
    const gateway = await serve(through(ports, { passiveHealth: { consecutiveFailures: 2 } }));
    const client = clientOf(gateway);
    for (let i = 0; i < 6; i++) await ask(client, 'unary', 'x');
    expect(gateway.logged).toContainEqual(
      expect.objectContaining({ endpoint: `127.0.0.1:${ports[0]}`, reason: 'backend-cut' }),
    );
    for (let i = 0; i < 4; i++) expect((await ask(client, 'unary', 'x')).error).toBeNull();
  });
});

describe('a gRPC call without an endpoint that answers', () => {
  const handlers: readonly [string, (port: number) => JsonObject][] = [
    ['backends', (port) => through([port])],
    ['a baseURI', (port) => ({ type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${port}`, config: GRPC })],
  ];

  it.each(handlers)('gets the status UNAVAILABLE in a response without messages: %s', async (_case, handler) => {
    const gateway = await serve(handler(await deadPort()));
    const { error } = await ask(clientOf(gateway), 'unary', 'x');
    expect(error?.code).toBe(status.UNAVAILABLE);
    expect(error?.details).toMatch(/^backend-connect: /);
  });

  it.each(['application/grpc', 'application/grpc+proto', 'application/grpc;a=b'])(
    'is one by its type %s',
    async (type) => {
      const gateway = await serve(handlers[0]![1](await deadPort()));
      const answer = await send(gateway, 'POST /', [`Content-Type: ${type}`], 'x');
      expect([answer.status, answer.headers.get('grpc-status'), answer.body]).toEqual([200, '14', '']);
    },
  );

  it.each(['application/grpc-web', 'application/json'])('is none by its type %s', async (type) => {
    const gateway = await serve(handlers[0]![1](await deadPort()));
    const answer = await send(gateway, 'POST /', [`Content-Type: ${type}`], 'x');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect']);
  });
});
