import { Client } from 'undici';
import { errorText } from '../../../../platform/error-text.ts';
import { openSocket, type SocketTarget } from './open-socket.ts';

/** Answer of a server, with at most so much of its body. */
export interface PostAnswer {
  readonly status: number;
  readonly text: string;
}

export interface PosterOptions extends SocketTarget {
  /** How long an answer may take, in milliseconds. */
  readonly answerTimeout: number;
  /** Longest body of an answer that is read, in bytes. */
  readonly maxAnswer: number;
}

/** Posts to one server over one connection, which is opened again when it is gone. Redirects are not followed. */
export class HttpPoster {
  private readonly options: PosterOptions;
  private readonly client: Client;

  constructor(options: PosterOptions) {
    this.options = options;
    const { host, port, tls, answerTimeout } = options;
    const name = host.includes(':') ? `[${host}]` : host;
    this.client = new Client(`${tls === null ? 'http' : 'https'}://${name}:${port}`, {
      headersTimeout: answerTimeout,
      bodyTimeout: answerTimeout,
      connect: (_wish, done) => {
        void openSocket(options).then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        );
      },
    });
  }

  /** @throws Error that names the server and holds nothing of the request */
  async post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostAnswer> {
    const { host, port, maxAnswer } = this.options;
    try {
      const answer = await this.client.request({ method: 'POST', path, headers: { ...headers }, body });
      const pieces: Buffer[] = [];
      let size = 0;
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size > maxAnswer) throw new Error(`the answer is longer than ${maxAnswer} bytes`);
        pieces.push(piece);
      }
      return { status: answer.statusCode, text: Buffer.concat(pieces).toString('utf8') };
    } catch (error) {
      throw new Error(`${host}:${port}: ${errorText(error)}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.client.destroy();
  }
}
