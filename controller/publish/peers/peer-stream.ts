import { type ChannelCredentials, type ChannelOptions, Client, type ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../../../contract/channel-codec.ts';
import type { Clock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import { type DryRunAnswer, type DryRunQuestion, failedDryRun } from '../dry-run-question.ts';
import type { NoticeReceiver, NoticeRelay } from '../notice-relay.ts';
import type { ForwardedPlanes } from './forwarded-planes.ts';
import {
  decodeLeaderMessage,
  encodePeerMessage,
  noticeMessages,
  PEER_METHOD,
  type PeerExplain,
} from './peer-messages.ts';

export interface PeerStreamOptions {
  readonly clock?: Clock;
  /** How to speak with another controller, asked for each stream: certificates and tokens change. */
  credentials(): ChannelCredentials;
  /** Of the gRPC library, such as the name that a certificate is to have. */
  readonly channelOptions?: ChannelOptions;
  /** The token that says who we are. */
  token(): Promise<string> | string;
  /** Milliseconds between heartbeats; three that stay away end the stream. */
  readonly heartbeat?: number;
  /** Tells the leader of notices and takes its own; absent where none are passed on. */
  readonly notices?: NoticeRelay;
  /** Has a data plane of this controller make a dry run for the leader; absent where none is made. */
  explain?(question: DryRunQuestion): Promise<DryRunAnswer>;
}

/** One stream to one leader. */
export class PeerStream {
  private readonly options: PeerStreamOptions;
  private readonly clock: Clock;
  private readonly client: Client;
  private readonly planes: ForwardedPlanes;
  private readonly ended: (reason: string, wasHeard: boolean) => void;
  private call: ClientDuplexStream<Buffer, Buffer> | null = null;
  private beating: (() => void) | null = null;
  private heardAt: number;
  private wasHeard = false;
  private leaveNotices: (() => void) | null = null;
  private takesRefreshes = false;
  private isOver = false;
  private isFull = false;

  constructor(
    options: PeerStreamOptions,
    clock: Clock,
    address: string,
    planes: ForwardedPlanes,
    ended: (reason: string, wasHeard: boolean) => void,
  ) {
    this.options = options;
    this.clock = clock;
    this.planes = planes;
    this.ended = ended;
    this.heardAt = clock.steady();
    this.client = new Client(address, options.credentials(), {
      // The library would share one connection, and with it old certificates, among clients of one address.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      // The leader is where its Lease says: neither the environment nor DNS has a say in it.
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      ...options.channelOptions,
    });
  }

  async open(): Promise<void> {
    this.beat();
    try {
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${await this.options.token()}`);
      if (this.isOver) return;
      const asIs = (bytes: Buffer): Buffer => bytes;
      this.call = this.client.makeBidiStreamRequest(PEER_METHOD, asIs, asIs, metadata);
      this.call.on('data', (bytes: Buffer) => this.hear(bytes));
      this.call.on('drain', () => {
        this.isFull = false;
        this.flush();
      });
      this.call.on('error', (error: Error) => this.end(error.message));
      this.call.on('end', () => this.end('the leader closed the stream'));
      this.flush();
    } catch (error) {
      this.end(errorText(error));
    }
  }

  /** Sends what there is to tell, unless the leader has yet to take what was sent before. */
  flush(): void {
    if (this.call === null || this.isOver || this.isFull) return;
    for (const message of this.planes.take()) {
      const bytes = encodePeerMessage(message);
      // One message that is too long would end the stream, and with it what is known of all other planes.
      if (bytes.length <= MAX_MESSAGE_BYTES && !this.call.write(bytes)) this.isFull = true;
    }
  }

  close(): void {
    this.isOver = true;
    this.leaveNotices?.();
    this.beating?.();
    this.call?.on('error', () => {});
    this.call?.cancel();
    this.client.close();
  }

  private hear(bytes: Buffer): void {
    this.wasHeard = true;
    this.heardAt = this.clock.steady();
    const { notices } = this.options;
    const message = decodeLeaderMessage(bytes);
    if (message?.type === 'explain') void this.explain(message);
    else if (message?.type === 'notice') notices?.receive(message.scope, message.entries, this.notify);
    else if (message?.type === 'refresh') notices?.refresh(message.scope, message, this.notify);
    else if (message?.notices !== undefined) this.tellNotices(message.notices);
  }

  private async explain({ number, question }: PeerExplain): Promise<void> {
    const answer = await this.options.explain?.(question).catch(failedDryRun);
    if (this.isOver || answer === undefined) return;
    this.call?.write(encodePeerMessage({ type: 'explained', number, answer }));
  }

  /** A leader takes only the kinds that it names. */
  private tellNotices(kinds: readonly string[]): void {
    this.takesRefreshes = kinds.includes('refresh');
    if (kinds.includes('ended-session')) {
      this.leaveNotices ??= this.options.notices?.addLeader(this.notify) ?? null;
    }
  }

  private readonly notify: NoticeReceiver = {
    ended: (scope, entries) => {
      for (const message of noticeMessages(scope, entries)) this.call?.write(encodePeerMessage(message));
    },
    refresh: (scope, news) => {
      if (this.takesRefreshes) this.call?.write(encodePeerMessage({ ...news, scope }));
      return this.takesRefreshes;
    },
  };

  private beat(): void {
    const every = this.options.heartbeat ?? 4000;
    this.beating = this.clock.after(every, () => {
      if (this.clock.steady() - this.heardAt > 3 * every) {
        this.end('the leader is silent');
        return;
      }
      if (!this.isFull) this.call?.write(encodePeerMessage({ type: 'heartbeat' }));
      this.beat();
    });
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.close();
    this.ended(reason, this.wasHeard);
  }
}
