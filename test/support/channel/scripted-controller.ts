import { type Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import {
  CHANNEL_METHOD,
  type ControllerMessage,
  type PlaneMessage,
  type UpdateMessage,
  type Welcome,
} from '../../../contract/channel.ts';
import { bytesMethod, decodePlaneMessage, encodeMessage, MAX_MESSAGE_BYTES } from '../../../contract/channel-codec.ts';
import { type CertificateAuthority, certificateAuthority } from '../identity/certificates.ts';

/** One stream of a plane, as the test holds it. */
export interface ScriptedStream {
  readonly metadata: Metadata;
  /** Everything that came so far. */
  readonly received: readonly PlaneMessage[];
  /** The next message of this type, which may have come already; each is given once. */
  next<T extends PlaneMessage['type']>(type: T): Promise<Extract<PlaneMessage, { type: T }>>;
  send(message: ControllerMessage): void;
  /** Sends bytes as they are. */
  sendBytes(bytes: Buffer): void;
  /** Sends an update with these parts of it, and the next number. */
  update(parts: Partial<UpdateMessage>): number;
  end(): void;
  fail(code: keyof typeof status, details: string): void;
  readonly isClosed: boolean;
}

export interface ScriptedControllerOptions {
  readonly authority?: CertificateAuthority;
  /** Names that its certificate is for; by default 127.0.0.1. */
  readonly names?: readonly string[];
  readonly port?: number;
  /** What it says first; null to say nothing. */
  readonly welcome?: Partial<Welcome> | null;
  /** Say nothing to heartbeats, which planes take for death; by default each is answered. */
  readonly isSilent?: boolean;
  /** Ask planes for their certificates. */
  readonly asksForCertificates?: boolean;
}

/** A controller that says what a test has it say, over real streams. */
export class ScriptedController {
  readonly authority: CertificateAuthority;
  readonly port: number;
  /** Every stream so far. */
  readonly streams: ScriptedStream[] = [];
  private readonly server: Server;
  private readonly waiting: ((stream: ScriptedStream) => void)[] = [];
  private given = 0;

  private constructor(server: Server, authority: CertificateAuthority, port: number) {
    this.server = server;
    this.authority = authority;
    this.port = port;
  }

  static async start(options: ScriptedControllerOptions = {}): Promise<ScriptedController> {
    const { authority = certificateAuthority('controllers'), names = ['127.0.0.1'], port = 0, welcome = {} } = options;
    const { isSilent = false } = options;
    const certified = authority.issue({ names });
    const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
    let controller: ScriptedController | null = null;
    server.addService(
      { Connect: bytesMethod(CHANNEL_METHOD) },
      { Connect: (call: ServerDuplexStream<Buffer, Buffer>) => controller?.accept(call, welcome, isSilent) },
    );
    const credentials = ServerCredentials.createSsl(
      Buffer.from(authority.certificate),
      [{ private_key: Buffer.from(certified.key), cert_chain: Buffer.from(certified.chain) }],
      options.asksForCertificates ?? false,
    );
    const bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, credentials, (error, at) => (error === null ? resolve(at) : reject(error)));
    });
    controller = new ScriptedController(server, authority, bound);
    return controller;
  }

  /** The next stream that nobody asked for yet. */
  next(): Promise<ScriptedStream> {
    const stream = this.streams[this.given];
    this.given++;
    if (stream !== undefined) return Promise.resolve(stream);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Goes away without a word to anybody. */
  close(): void {
    this.server.forceShutdown();
  }

  private accept(call: ServerDuplexStream<Buffer, Buffer>, welcome: Partial<Welcome> | null, isSilent: boolean): void {
    const stream = scripted(call, isSilent);
    this.streams.push(stream);
    if (welcome !== null) {
      stream.send({
        type: 'welcome',
        controller: 'scripted',
        plane: 'p1',
        group: 'default',
        namespace: null,
        labels: {},
        heartbeat: 1000,
        report: 60_000,
        ...welcome,
      });
    }
    this.waiting.shift()?.(stream);
  }
}

function scripted(call: ServerDuplexStream<Buffer, Buffer>, isSilent: boolean): ScriptedStream {
  const received: PlaneMessage[] = [];
  const given = new Set<PlaneMessage>();
  const waiting: { readonly type: string; readonly resolve: (message: PlaneMessage) => void }[] = [];
  const state = { isClosed: false, nonce: 0 };
  const over = (): void => {
    state.isClosed = true;
  };
  call.on('data', (bytes: Buffer) => {
    const message = decodePlaneMessage(bytes);
    received.push(message);
    if (message.type === 'heartbeat' && !isSilent) call.write(encodeMessage(message));
    const at = waiting.findIndex(({ type }) => type === message.type);
    if (at < 0) return;
    given.add(message);
    waiting.splice(at, 1)[0]!.resolve(message);
  });
  call.on('cancelled', over);
  call.on('error', over);
  call.on('end', () => {
    over();
    call.end();
  });
  return {
    metadata: call.metadata,
    received,
    get isClosed() {
      return state.isClosed;
    },
    next<T extends PlaneMessage['type']>(type: T) {
      type Wanted = Extract<PlaneMessage, { type: T }>;
      const found = received.find((message): message is Wanted => message.type === type && !given.has(message));
      if (found === undefined) {
        return new Promise<Wanted>((resolve) => {
          waiting.push({ type, resolve: (message) => resolve(message as Wanted) });
        });
      }
      given.add(found);
      return Promise.resolve(found);
    },
    send: (message) => void call.write(encodeMessage(message)),
    sendBytes: (bytes) => void call.write(bytes),
    update(parts) {
      const nonce = parts.nonce ?? ++state.nonce;
      call.write(
        encodeMessage({
          type: 'update',
          nonce,
          revision: `revision ${nonce}`,
          full: false,
          base: null,
          set: [],
          remove: [],
          keep: [],
          defaults: [],
          seen: null,
          ...parts,
        }),
      );
      return nonce;
    },
    end: () => call.end(),
    fail(code, details) {
      call.emit('error', Object.assign(new Error(details), { code: status[code], details }));
    },
  };
}
