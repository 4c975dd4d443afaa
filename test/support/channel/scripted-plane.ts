import { Client, type ClientDuplexStream, credentials, Metadata, type StatusObject } from '@grpc/grpc-js';
import {
  CHANNEL_METHOD,
  CHANNEL_PROTOCOL,
  type ControllerMessage,
  type Hello,
  type PlaneMessage,
  type RouteProblems,
  type UpdateMessage,
} from '../../../contract/channel.ts';
import {
  bytesMethod,
  decodeControllerMessage,
  encodeMessage,
  MAX_MESSAGE_BYTES,
} from '../../../contract/channel-codec.ts';
import { type RouteEntry, type RouteKey, routeKeyText } from '../../../contract/snapshot.ts';

export interface ScriptedPlaneOptions {
  readonly port: number;
  /** Empty for none. */
  readonly token?: string;
  /** In PEM; without them there is no TLS. */
  readonly ca?: string;
  readonly key?: string;
  readonly certificate?: string;
}

/** The whole of one update. */
export type WholeUpdate = Omit<UpdateMessage, 'more' | 'type'> & { readonly parts: number };

/** A plane that says what a test makes it say, over a real connection. */
export class ScriptedPlane {
  /** Everything that came, in order. */
  readonly received: ControllerMessage[] = [];
  /** What it runs, as far as it was told and took it. */
  readonly routes = new Map<string, RouteEntry>();
  readonly ended: Promise<StatusObject>;
  private readonly client: Client;
  private readonly call: ClientDuplexStream<Buffer, Buffer>;
  private readonly waiting: { readonly type: string; resolve(message: ControllerMessage): void }[] = [];
  private next = 0;

  constructor({ port, token, ca, key, certificate }: ScriptedPlaneOptions) {
    const own =
      key === undefined || certificate === undefined ? [null, null] : [Buffer.from(key), Buffer.from(certificate)];
    const secure = ca === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(ca), ...own);
    this.client = new Client(`localhost:${port}`, secure, {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
    });
    const metadata = new Metadata();
    if (token !== undefined && token !== '') metadata.set('authorization', `Bearer ${token}`);
    const { path, requestSerialize, responseDeserialize } = bytesMethod(CHANNEL_METHOD);
    this.call = this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
    this.call.on('data', (bytes: Buffer) => this.take(decodeControllerMessage(bytes)));
    this.call.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.call.on('status', resolve));
  }

  hello(more: Partial<Hello> = {}): this {
    return this.send({
      type: 'hello',
      protocol: CHANNEL_PROTOCOL,
      version: '0.1.0',
      catalogue: 'c',
      units: 1,
      name: 'edge-1',
      holds: { revision: null, base: null, routes: [] },
      ...more,
    });
  }

  send(message: PlaneMessage): this {
    return this.sendBytes(encodeMessage(message));
  }

  sendBytes(bytes: Buffer): this {
    this.call.write(bytes);
    return this;
  }

  /** The next message of a type that was not asked for yet. */
  async message<Type extends ControllerMessage['type']>(
    type: Type,
  ): Promise<Extract<ControllerMessage, { type: Type }>> {
    const isOf = (one: ControllerMessage): one is Extract<ControllerMessage, { type: Type }> => one.type === type;
    for (; this.next < this.received.length; this.next++) {
      const one = this.received[this.next];
      if (one === undefined || !isOf(one)) continue;
      this.next++;
      return one;
    }
    const message = await new Promise<ControllerMessage>((resolve) => this.waiting.push({ type, resolve }));
    if (!isOf(message)) throw new Error(`a ${message.type} instead of a ${type}`);
    return message;
  }

  /** The next update, whole, which the plane then takes as its own. */
  async update(): Promise<WholeUpdate> {
    let { type: _type, more, ...whole } = await this.message('update');
    let parts = 1;
    for (; more !== undefined; parts++) {
      const part = await this.message('update');
      more = part.more;
      whole = {
        ...whole,
        base: part.base ?? whole.base,
        set: [...whole.set, ...part.set],
        remove: [...whole.remove, ...part.remove],
        keep: [...whole.keep, ...part.keep],
      };
    }
    return { ...whole, parts };
  }

  /** Takes an update and says so. */
  ack(update: WholeUpdate, problems: readonly RouteProblems[] = [], newer: readonly RouteKey[] = []): this {
    if (update.full) this.routes.clear();
    for (const route of update.set) this.routes.set(routeKeyText(route), route);
    for (const route of update.remove) this.routes.delete(routeKeyText(route));
    const { nonce, revision } = update;
    return this.send({ type: 'ack', nonce, revision, problems, newer });
  }

  close(): void {
    this.call.cancel();
    this.client.close();
  }

  private take(message: ControllerMessage): void {
    this.received.push(message);
    const [first] = this.waiting;
    if (first === undefined || first.type !== message.type) return;
    this.waiting.shift();
    this.next = this.received.length;
    first.resolve(message);
  }
}
