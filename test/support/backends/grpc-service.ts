import { once } from 'node:events';
import {
  type ChannelCredentials,
  type Client,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  makeGenericClientConstructor,
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

/** Messages are bytes as they are: what matters here is how they travel. */
const pass = (bytes: Buffer): Buffer => bytes;

const method = (name: string, call: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/${name}/${call}`,
  requestStream,
  responseStream,
  requestSerialize: pass,
  requestDeserialize: pass,
  responseSerialize: pass,
  responseDeserialize: pass,
});

/** A gRPC service with one method of every kind. */
export const serviceOf = (name: string): ServiceDefinition<UntypedServiceImplementation> => ({
  unary: method(name, 'Unary', false, false),
  fail: method(name, 'Fail', false, false),
  never: method(name, 'Never', false, false),
  many: method(name, 'Many', false, true),
  gather: method(name, 'Gather', true, false),
  talk: method(name, 'Talk', true, true),
});

/** A real gRPC server with a service of this name. */
export class GrpcServer {
  readonly port: number;
  /** Calls that the client gave up, as the server heard of it. */
  cancelled = 0;
  private readonly server: Server;

  private constructor(server: Server, port: number) {
    this.server = server;
    this.port = port;
  }

  static async start(name: string, credentials: ServerCredentials): Promise<GrpcServer> {
    const server = new Server({ 'grpc.max_receive_message_length': -1 });
    let started: GrpcServer | null = null;
    const never: handleUnaryCall<Buffer, Buffer> = (call) => {
      call.on('cancelled', () => started!.cancelled++);
    };
    server.addService(serviceOf(name), { unary, fail, never, many, gather, talk });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
    });
    started = new GrpcServer(server, port);
    return started;
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

/** Echoes a message, and the metadata `x-mine` in the header and the trailer. */
const unary: handleUnaryCall<Buffer, Buffer> = (call, done) => {
  const [mine = ''] = call.metadata.get('x-mine');
  const header = new Metadata();
  header.set('x-header', mine);
  call.sendMetadata(header);
  const trailer = new Metadata();
  trailer.set('x-trailer-bin', Buffer.from(mine));
  done(null, call.request, trailer);
};

const fail: handleUnaryCall<Buffer, Buffer> = (_call, done) => {
  const metadata = new Metadata();
  metadata.set('x-why', 'because');
  done({ code: status.FAILED_PRECONDITION, details: 'nicht möglich: 100 % \n', metadata });
};

/** Sends as many messages as the first byte of the request says. */
const many: handleServerStreamingCall<Buffer, Buffer> = (call) => {
  for (let i = 0; i < call.request[0]!; i++) call.write(Buffer.alloc(10_000, i));
  call.end();
};

/** Answers with the number of messages and bytes that came. */
const gather: handleClientStreamingCall<Buffer, Buffer> = (call, done) => {
  let messages = 0;
  let bytes = 0;
  call.on('data', (message: Buffer) => {
    messages++;
    bytes += message.length;
  });
  call.on('end', () => done(null, Buffer.from(`${messages} ${bytes}`)));
};

/** Answers every message when it comes. */
const talk: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.on('data', (message: Buffer) => call.write(Buffer.from(`you said ${message.toString()}`)));
  call.on('end', () => call.end());
};

/** A real gRPC client of such a service. */
export function grpcClient(
  name: string,
  port: number,
  credentials: ChannelCredentials,
): InstanceType<ReturnType<typeof makeGenericClientConstructor>> & Client {
  const Constructor = makeGenericClientConstructor(serviceOf(name), name);
  return new Constructor(`127.0.0.1:${port}`, credentials, {
    'grpc.ssl_target_name_override': 'gateway.test',
    'grpc.default_authority': 'gateway.test',
    'grpc.max_receive_message_length': -1,
    'grpc.use_local_subchannel_pool': 1,
  });
}

/** All messages of a stream, or the error that it ended with. */
export async function messagesOf(stream: NodeJS.ReadableStream): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  stream.on('data', (message: Buffer) => messages.push(message));
  await once(stream, 'end');
  return messages;
}
