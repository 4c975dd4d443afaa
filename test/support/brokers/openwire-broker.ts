import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { TYPE, wireFormat } from '../../../dataplane/audit/openwire/commands.ts';
import { FrameReader } from '../../../dataplane/audit/openwire/frame-reader.ts';
import { FrameWriter } from '../../../dataplane/audit/openwire/frame-writer.ts';

/** What a connection registered as, or sent. */
export interface BrokerCommand {
  readonly type: number;
  readonly command: number;
  readonly isAsked: boolean;
  /** The whole frame without its length. */
  readonly frame: Buffer;
}

/** A broker that follows OpenWire except where a test tells it otherwise. */
export class OpenwireBroker {
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

  static async start(port = 0): Promise<OpenwireBroker> {
    const server = createServer((socket) => broker.serve(socket));
    const broker = new OpenwireBroker(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => broker.close());
    return broker;
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port;
  }

  /** Texts of the messages that arrived. */
  get texts(): string[] {
    return this.commands.filter(({ type }) => type === TYPE.textMessage).map(({ frame }) => textIn(frame));
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

/** The text of a message: the block that holds a length and as many bytes. */
function textIn(frame: Buffer): string {
  for (let at = 0; at + 9 <= frame.length; at++) {
    const [block, length] = [frame.readInt32BE(at + 1), frame.readInt32BE(at + 5)];
    if (frame[at] === 1 && block === length + 4 && length >= 0 && at + 9 + length < frame.length && at > 100) {
      return frame.toString('utf8', at + 9, at + 9 + length);
    }
  }
  throw new Error('the message has no text');
}
