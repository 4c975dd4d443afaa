import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { CHANNEL_METHOD, CHANNEL_PROTOCOL, type Held, type PlaneMessage } from '../../contract/channel.ts';
import { bytesMethod, encodeMessage, MAX_MESSAGE_BYTES } from '../../contract/channel-codec.ts';

export interface SimulatedLinkOptions {
  readonly port: number;
  readonly token: string;
  /** In PEM; null for a controller without TLS. */
  readonly ca: string | null;
  readonly name: string;
  /** What it says that it holds; by default nothing. */
  readonly holds?: Held;
}

/** A plane that takes whatever it is sent and looks at no more than the beginning: what it costs is the controller's. */
export class SimulatedLink {
  /** Resolves when the first whole update has come. */
  readonly current: Promise<void>;
  private readonly client: Client;
  private readonly call: ClientDuplexStream<Buffer, Buffer>;
  private readonly timers: NodeJS.Timeout[] = [];
  private revision: string | null = null;

  constructor(options: SimulatedLinkOptions) {
    const { port, ca } = options;
    const secure = ca === null ? credentials.createInsecure() : credentials.createSsl(Buffer.from(ca));
    this.client = new Client(`localhost:${port}`, secure, {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
    });
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${options.token}`);
    const { path, requestSerialize, responseDeserialize } = bytesMethod(CHANNEL_METHOD);
    this.call = this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
    this.current = new Promise((resolve, reject) => {
      this.call.on('error', (error: Error) => reject(error));
      this.call.on('data', (bytes: Buffer) => this.take(bytes.toString('latin1', 0, 400), resolve));
    });
    this.send({
      type: 'hello',
      protocol: CHANNEL_PROTOCOL,
      version: 'bench',
      catalogue: 'bench',
      units: 1,
      name: options.name,
      holds: options.holds ?? { revision: null, base: null, routes: [] },
    });
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.call.cancel();
    this.client.close();
  }

  /** Sends heartbeats and reports as often as the controller asks for them. A report has no figures: nothing passes it. */
  private welcomed(heartbeat: number, every: number): void {
    const [since, clock] = ['bench', 0];
    this.timers.push(
      setInterval(() => this.send({ type: 'heartbeat' }), heartbeat),
      setInterval(() => {
        const { revision } = this;
        this.send({ type: 'report', revision, ready: true, unitsServing: 1, clock, since, routes: [] });
      }, every),
    );
  }

  private take(head: string, done: () => void): void {
    const [, heartbeat, report] = /^\{"type":"welcome".*"heartbeat":(\d+),"report":(\d+)/.exec(head) ?? [];
    if (heartbeat !== undefined) this.welcomed(Number(heartbeat), Number(report));
    const [, nonce, revision] = /^\{"type":"update","nonce":(\d+),"revision":"([^"]*)"/.exec(head) ?? [];
    if (nonce === undefined || revision === undefined || /^[^[]*"more":true/.test(head)) return;
    this.revision = revision;
    this.send({ type: 'ack', nonce: Number(nonce), revision, problems: [], newer: [] });
    done();
  }

  private send(message: PlaneMessage): void {
    this.call.write(encodeMessage(message));
  }
}
