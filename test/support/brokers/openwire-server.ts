import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';
import { TYPE, wireFormat } from '../../../dataplane/audit/openwire/commands.ts';
import { FrameReader } from '../../../dataplane/audit/openwire/frame-reader.ts';
import { FrameWriter } from '../../../dataplane/audit/openwire/frame-writer.ts';
import { type ReadMessage, readTextMessage } from './read-text-message.ts';

/** What a connection registered as, or sent. */
export interface BrokerCommand {
  readonly type: number;
  readonly command: number;
  readonly isAsked: boolean;
  /** The whole frame without its length. */
  readonly frame: Buffer;
}

/** A broker that follows OpenWire except where a test tells it otherwise. */
export class OpenwireServer {
  readonly commands: BrokerCommand[] = [];
  readonly sockets = new Set<Socket>();
  /** Answers a command; false leaves it unanswered. */
  answers: (
    command: BrokerCommand,
    socket: Socket,
  ) => boolean | { readonly exception: string; readonly message: string } = () => true;
  /** Milliseconds of silence that the greeting allows; 0 for any. */
  inactivity = 0n;
  /** What is sent in place of the greeting. */
  greeting: Buffer | null = null;
  private readonly server: Server;
  private heard: (() => void)[] = [];

  private constructor(server: Server) {
    this.server = server;
  }

  /** @param tls keys and certificates; without them it listens without TLS */
  static async listen(port = 0, tls?: TlsOptions): Promise<OpenwireServer> {
    const serve = (socket: Socket): void => broker.serve(socket);
    const server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve);
    const broker = new OpenwireServer(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return broker;
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port;
  }

  /** The messages that arrived. */
  get messages(): ReadMessage[] {
    return this.commands.filter(({ type }) => type === TYPE.textMessage).map(({ frame }) => readTextMessage(frame));
  }

  /** Texts of the messages that arrived. */
  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }

  /** Tells every connection of an error that is the answer to nothing. */
  tellError(exception: string, message: string): void {
    const frame = new FrameWriter(TYPE.connectionError).int(0).flag(false).flag(true).text(exception).text(message);
    for (const socket of this.sockets) socket.write(frame.flag(false).frame());
  }

  /** Answers a command after all. */
  confirm({ command }: BrokerCommand): void {
    const frame = new FrameWriter(TYPE.response).int(0).flag(false).int(command).frame();
    for (const socket of this.sockets) socket.write(frame);
  }

  /** Resolves once something is true, looked at after every command. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.heard.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    socket.write(this.greeting ?? wireFormat({ MaxInactivityDuration: this.inactivity, CacheEnabled: true }));
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const end = 4 + rest.readInt32BE(0);
        this.take(rest.subarray(4, end), socket);
        rest = rest.subarray(end);
      }
    });
  }

  private take(frame: Buffer, socket: Socket): void {
    const reader = new FrameReader(frame);
    const type = reader.byte();
    if (type === TYPE.wireFormat) return;
    const command: BrokerCommand = { type, command: reader.int(), isAsked: reader.flag(), frame };
    this.commands.push(command);
    for (const listener of this.heard.splice(0)) listener();
    const answer = this.answers(command, socket);
    if (!command.isAsked || answer === false) return;
    const writer = new FrameWriter(answer === true ? TYPE.response : TYPE.exceptionResponse);
    writer.int(0).flag(false).int(command.command);
    if (answer !== true) writer.flag(true).text(answer.exception).text(answer.message);
    socket.write(writer.frame());
  }
}
