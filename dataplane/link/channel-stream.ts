import { Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import {
  CHANNEL_METHOD,
  type ControllerMessage,
  type Explain,
  type Hello,
  type Notice,
  type PlaneMessage,
  type Recall,
  type RefreshNews,
  type Welcome,
} from '../../contract/channel.ts';
import { decodeControllerMessage, encodeMessage } from '../../contract/channel-codec.ts';
import { errorText } from '../../platform/error-text.ts';
import type { ControllerEndpoint } from './controller-addresses.ts';
import type { LinkCredentials } from './link-credentials.ts';
import { type NumberedUpdate, UpdateParts } from './update-parts.ts';

/** Listener of a stream. */
export interface StreamOwner {
  welcomed(welcome: Welcome): void;
  update(update: NumberedUpdate): void;
  recall(recall: Recall): void;
  explain(asked: Explain): void;
  /** Other planes of the group ended sessions. */
  noticed(entries: Notice['entries']): void;
  refresh(news: RefreshNews): void;
  /** The controller ends the stream in a moment. */
  goingAway(reason: string): void;
  /** Called once, whatever ended it. */
  closed(reason: string): void;
}

/** Milliseconds within which a controller must answer a hello. */
const WELCOME_TIMEOUT = 10_000;
/** As many heartbeats may stay away before the other side is taken for dead, and never more milliseconds than these. */
const MISSING_HEARTBEATS = 3;
const LONGEST_SILENCE = 15_000;

/** One stream to one controller, from hello to its end. */
export class ChannelStream {
  readonly endpoint: ControllerEndpoint;
  private readonly client: Client;
  private readonly call: ClientDuplexStream<Buffer, Buffer>;
  private readonly owner: StreamOwner;
  private readonly parts = new UpdateParts();
  private timer: NodeJS.Timeout;
  private heard = performance.now();
  private isWelcome = false;
  private isOver = false;
  private isFull = false;

  constructor(endpoint: ControllerEndpoint, credentials: LinkCredentials, hello: Hello, owner: StreamOwner) {
    this.endpoint = endpoint;
    this.owner = owner;
    this.client = new Client(targetOf(endpoint), credentials.channel, credentials.options);
    const asIs = (bytes: Buffer): Buffer => bytes;
    this.call = this.client.makeBidiStreamRequest(CHANNEL_METHOD, asIs, asIs, credentials.metadata);
    this.call.on('data', (bytes: Buffer) => this.message(bytes));
    this.call.on('error', (error: Error & { code?: number; details?: string }) => this.close(failureText(error)));
    this.call.on('end', () => this.close('the controller ended the stream'));
    this.call.on('drain', () => {
      this.isFull = false;
    });
    this.timer = setTimeout(() => this.close('the controller does not answer'), WELCOME_TIMEOUT);
    this.send(hello);
  }

  /** Whether the other side takes what is sent. */
  get isWritable(): boolean {
    return !this.isOver && !this.isFull;
  }

  send(message: PlaneMessage): void {
    if (!this.isOver && !this.call.write(encodeMessage(message))) this.isFull = true;
  }

  /** Ends it. Its owner hears the reason. */
  close(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.call.end();
    // what was written last leaves first; whoever does not take it is cut off
    setImmediate(() => {
      this.call.cancel();
      this.client.close();
    });
    this.owner.closed(reason);
  }

  private message(bytes: Buffer): void {
    if (this.isOver) return;
    this.heard = performance.now();
    let message: ControllerMessage;
    try {
      message = decodeControllerMessage(bytes);
    } catch (error) {
      this.close(`the controller sent an invalid message: ${errorText(error)}`);
      return;
    }
    if (message.type === 'welcome') this.welcome(message);
    else if (message.type === 'goaway') this.owner.goingAway(message.reason);
    else if (!this.isWelcome) this.close('the controller did not send welcome first');
    else if (message.type === 'recall') this.owner.recall(message);
    else if (message.type === 'explain') this.owner.explain(message);
    else if (message.type === 'notice') this.owner.noticed(message.entries);
    else if (message.type === 'refresh') this.owner.refresh(message);
    else if (message.type === 'update') {
      const whole = this.parts.add(message);
      if (whole !== null) this.owner.update(whole);
    }
  }

  private welcome(welcome: Welcome): void {
    clearTimeout(this.timer);
    this.isWelcome = true;
    const silence = Math.min(LONGEST_SILENCE, MISSING_HEARTBEATS * welcome.heartbeat);
    const interval = Math.min(welcome.heartbeat, LONGEST_SILENCE / MISSING_HEARTBEATS);
    this.timer = setInterval(() => {
      const quiet = performance.now() - this.heard;
      if (quiet > silence) this.close(`the controller was silent for ${Math.round(quiet / 1000)} s`);
      else this.send({ type: 'heartbeat' });
    }, interval);
    this.owner.welcomed(welcome);
  }
}

function targetOf({ address, port }: ControllerEndpoint): string {
  return address.includes(':') ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`;
}

/** What the other side said, or what the transport did, in one line. */
function failureText({ code, details, message }: Error & { code?: number; details?: string }): string {
  const name = code === undefined ? '' : `${status[code] ?? code}: `;
  const text = (details ?? message).replace(/^No connection established\. Last error: /, '');
  return `${name}${text.replace(/ Resolution note: $/, '')}`.replaceAll(/\s+/g, ' ').slice(0, 500);
}
