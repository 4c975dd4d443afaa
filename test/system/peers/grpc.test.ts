import { randomBytes } from 'node:crypto';
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
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GrpcServer, grpcClient, messagesOf } from '../../support/backends/grpc-service.ts';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';

const who = certifiers();
const servers = new Map<string, GrpcServer>();
let gateway: PeerGateway;

beforeAll(async () => {
  const { chain, key } = who.backends.issue({ names: ['localhost'] });
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(chain) };
  servers.set('plain', await GrpcServer.start('plain', ServerCredentials.createInsecure()));
  servers.set('secure', await GrpcServer.start('secure', ServerCredentials.createSsl(null, [pair])));
  gateway = await PeerGateway.start(who, {
    routes: {
      plain: {
        to: `http://127.0.0.1:${servers.get('plain')!.port}`,
        config: { protocolVersion: 'HTTP/2', http2PriorKnowledge: true },
      },
      secure: {
        to: `https://localhost:${servers.get('secure')!.port}`,
        config: { protocolVersion: 'HTTP/2', stateTrackingEnabled: false },
      },
    },
  });
});

afterAll(async () => {
  for (const server of servers.values()) server.stop();
  await gateway?.stop();
});

describe.each(['plain', 'secure'])('gRPC, %s on both sides', (name) => {
  let client: ReturnType<typeof grpcClient>;

  beforeAll(() => {
    const secure = credentials.createSsl(Buffer.from(who.gateway.certificate));
    client =
      name === 'plain'
        ? grpcClient(name, gateway.plain, credentials.createInsecure())
        : grpcClient(name, gateway.tls, secure);
  });
  afterAll(() => client.close());

  /** Calls a method that has one answer. */
  function ask(method: string, message: Buffer, metadata = new Metadata(), options = {}): Promise<Answered> {
    return new Promise((resolve) => {
      const answered: Answered = { error: null, message: null, header: null, trailer: null };
      const call = client[method]!(message, metadata, options, (error: ServiceError | null, reply?: Buffer) => {
        answered.error = error;
        answered.message = reply ?? null;
      }) as ClientUnaryCall;
      call.on('metadata', (header: Metadata) => (answered.header = header));
      call.on('status', ({ metadata: trailer }: { metadata: Metadata }) => {
        answered.trailer = trailer;
        setImmediate(resolve, answered); // the callback is called after this event
      });
    });
  }

  it('carries a call with metadata both ways', async () => {
    const metadata = new Metadata();
    metadata.set('x-mine', 'a value');
    const { error, message, header, trailer } = await ask('unary', Buffer.from('hello'), metadata);
    expect([error, message?.toString()]).toEqual([null, 'hello']);
    expect(header?.get('x-header')).toEqual(['a value']);
    expect(trailer?.get('x-trailer-bin')).toEqual([Buffer.from('a value')]);
  });

  it('carries the status of a call that failed', async () => {
    const { error } = await ask('fail', Buffer.from('hello'));
    expect(error).toMatchObject({ code: status.FAILED_PRECONDITION, details: 'nicht möglich: 100 % \n' });
    expect(error?.metadata.get('x-why')).toEqual(['because']);
    const unknown = await new Promise<ServiceError | null>((resolve) => {
      const pass = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest(`/${name}/NoSuch`, pass, pass, Buffer.from('x'), (given) => resolve(given));
    });
    expect(unknown?.code).toBe(status.UNIMPLEMENTED);
  });

  it('carries large messages', async () => {
    const large = randomBytes(6 << 20);
    const { error, message } = await ask('unary', large);
    expect([error, message?.equals(large)]).toEqual([null, true]);
  });

  it('ends a call at its deadline, on both sides', async () => {
    const server = servers.get(name)!;
    const before = server.cancelled;
    const { error } = await ask('never', Buffer.from('x'), new Metadata(), { deadline: Date.now() + 300 });
    expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
    await vi.waitFor(() => expect(server.cancelled).toBe(before + 1), 5000);
  });

  it('carries a stream of answers', async () => {
    const stream = client['many']!(Buffer.from([200])) as ClientReadableStream<Buffer>;
    const messages = await messagesOf(stream);
    expect(messages.map((message) => message.length)).toEqual(Array.from({ length: 200 }, () => 10_000));
    expect(messages.map((message) => message[0])).toEqual(Array.from({ length: 200 }, (_, i) => i));
  });

  it('carries a stream of requests', async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      const stream = client['gather']!((error: ServiceError | null, message?: Buffer) => {
        if (error === null) resolve(message!.toString());
        else reject(error);
      }) as ClientWritableStream<Buffer>;
      for (let i = 0; i < 300; i++) stream.write(Buffer.alloc(20_000, i));
      stream.end();
    });
    expect(reply).toBe('300 6000000');
  });

  it('streams in both directions', async () => {
    const stream = client['talk']!() as ClientDuplexStream<Buffer, Buffer>;
    for (const word of ['one', 'two', 'three']) {
      stream.write(Buffer.from(word));
      const [message] = (await once(stream, 'data')) as [Buffer];
      expect(message.toString()).toBe(`you said ${word}`);
    }
    stream.end();
    const [{ code }] = (await once(stream, 'status')) as [{ code: number }];
    expect(code).toBe(status.OK);
  });

  it('cancels a call at the backend when the client cancels it', async () => {
    const server = servers.get(name)!;
    const before = server.cancelled;
    const call = client['never']!(Buffer.from('x'), () => {}) as ClientUnaryCall;
    await vi.waitFor(async () => expect(await gateway.process.figure('gw_backend_streams_open')).toBe(1), 5000);
    call.cancel();
    await vi.waitFor(() => expect(server.cancelled).toBe(before + 1), 5000);
    await vi.waitFor(async () => expect(await gateway.process.figure('gw_backend_streams_open')).toBe(0), 5000);
  });

  it('carries many calls at a time', async () => {
    const calls = Array.from({ length: 200 }, (_, i) => ask('unary', Buffer.from(`${i}`)));
    const replies = (await Promise.all(calls)).map(({ message }) => message?.toString());
    expect(replies).toEqual(Array.from({ length: 200 }, (_, i) => `${i}`));
  });
});

interface Answered {
  error: ServiceError | null;
  message: Buffer | null;
  header: Metadata | null;
  trailer: Metadata | null;
}
