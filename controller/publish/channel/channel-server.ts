import { X509Certificate } from 'node:crypto';
import { logVerbosity, Server, ServerCredentials, type ServerDuplexStream, setLogVerbosity } from '@grpc/grpc-js';
import { CHANNEL_METHOD, CHANNEL_PROTOCOL, type Hello } from '../../../contract/channel.ts';
import {
  bytesMethod,
  decodePlaneMessage,
  MAX_MESSAGE_BYTES,
  MalformedMessage,
} from '../../../contract/channel-codec.ts';
import type { PlaneSessions } from '../sessions/plane-sessions.ts';
import { MessageStream } from './message-stream.ts';
import { limitPieces } from './piece-limit.ts';
import { type PlaneAuthenticator, type PlaneCredential, PlaneRefused } from './plane-authentication.ts';
import { type ServingCertificate, ServingCredentials } from './serving-credentials.ts';

/** Handler of a gRPC method beside the channel, such as that of peers. */
export type StreamHandler = (call: ServerDuplexStream<Buffer, Buffer>) => void;

export interface ChannelServerOptions {
  /** What it listens on: an address, or a name for one. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Null for none, which is for the loopback address only: credentials and secrets would travel in the open. */
  readonly tls: ServingCertificate | null;
  readonly authenticator: PlaneAuthenticator;
  readonly sessions: PlaneSessions;
  /** Further methods of streams, by path. */
  readonly methods?: Readonly<Record<string, StreamHandler>>;
  /** Milliseconds that a plane has from its connection to its hello. */
  readonly helloTimeout?: number;
  /** Milliseconds that a plane has to answer a keepalive ping. */
  readonly pingTimeout?: number;
  /** How many planes may be on their way in at a time; more are sent away for a moment. */
  readonly arriving?: number;
  /** Hears why a plane was refused. */
  refused?(reason: string, peer: string): void;
}

/** Where planes connect. */
export class ChannelServer {
  private readonly options: ChannelServerOptions;
  private readonly server: Server;
  private readonly tls: ServingCredentials | null;
  private unlimit = (): void => undefined;
  private arriving = 0;
  /** How many of them come from each address. */
  private readonly places = new Map<string, number>();

  constructor(options: ChannelServerOptions) {
    this.options = options;
    this.tls = options.tls === null ? null : new ServingCredentials(options.tls);
    this.server = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_concurrent_streams': 8,
      // Streams are younger than this: what is left of a connection then belongs to nobody who means well.
      'grpc.max_connection_age_ms': 60 * 60_000,
      'grpc.max_connection_age_grace_ms': 10_000,
      'grpc.max_connection_idle_ms': 60_000,
      // With these a peer that went without a word is noticed within 15 seconds, whatever its streams do.
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': options.pingTimeout ?? 4_000,
      'grpc.keepalive_permit_without_calls': 1,
    });
    this.serve(CHANNEL_METHOD, (call) => void this.arrive(call));
    for (const [path, handler] of Object.entries(options.methods ?? {})) this.serve(path, handler);
  }

  /** Begins to listen. @returns the port */
  listen(): Promise<number> {
    const { host, port } = this.options;
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const credentials = this.tls?.credentials ?? ServerCredentials.createInsecure();
    // The library would write headers that it cannot read, a credential among them, past the log.
    setLogVerbosity(logVerbosity.NONE);
    this.unlimit = limitPieces();
    return new Promise((resolve, reject) => {
      this.server.bindAsync(address, credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
    });
  }

  /** New connections get this certificate; streams go on. */
  renew(certificate: ServingCertificate): void {
    this.tls?.renew(certificate);
  }

  /** Ends all streams and stops. */
  close(): Promise<void> {
    const { sessions } = this.options;
    sessions.close();
    this.unlimit();
    return new Promise((resolve) => {
      this.server.tryShutdown(() => resolve());
      setTimeout(() => this.server.forceShutdown(), sessions.goodbye + 500).unref();
    });
  }

  private serve(path: string, handler: StreamHandler): void {
    const name = path.slice(path.lastIndexOf('/') + 1);
    this.server.addService({ [name]: bytesMethod(path) }, { [name]: handler });
  }

  private async arrive(call: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
    const { refused, arriving = 1_000 } = this.options;
    const stream = new MessageStream(call);
    const place = call.getPeer().replace(/:\d+$/, '');
    const here = this.places.get(place) ?? 0;
    // From one address come at most half of them, so that nobody keeps all others out.
    if (this.arriving >= arriving || here >= arriving / 2) {
      return stream.fail('UNAVAILABLE', 'too many data planes connect at once');
    }
    this.arriving++;
    this.places.set(place, here + 1);
    try {
      await this.admit(call, stream);
    } catch (error) {
      const isKnown = error instanceof PlaneRefused || error instanceof MalformedMessage;
      const reason = isKnown ? error.message : 'the credential could not be verified';
      refused?.(isKnown ? reason : `${reason}: ${String(error)}`, call.getPeer());
      stream.fail(error instanceof PlaneRefused ? error.code : isKnown ? 'INVALID_ARGUMENT' : 'UNAVAILABLE', reason);
    } finally {
      this.arriving--;
      const left = (this.places.get(place) ?? 1) - 1;
      if (left === 0) this.places.delete(place);
      else this.places.set(place, left);
    }
  }

  private async admit(call: ServerDuplexStream<Buffer, Buffer>, stream: MessageStream): Promise<void> {
    const { authenticator, sessions, helloTimeout = 10_000 } = this.options;
    const grant = await authenticator.authenticate(credentialOf(call));
    if (grant === null) throw new PlaneRefused('UNAUTHENTICATED', 'the credential is not known');
    const bytes = await stream.first(helloTimeout);
    if (bytes === null) return stream.fail('DEADLINE_EXCEEDED', 'no hello message came in time');
    const hello = helloFrom(bytes);
    if (hello.protocol !== CHANNEL_PROTOCOL) {
      const text = `this controller speaks version ${CHANNEL_PROTOCOL} of the channel, the data plane version ${hello.protocol}`;
      return stream.fail('FAILED_PRECONDITION', text);
    }
    const identity = grant.identify({ name: hello.name, labels: hello.labels ?? {} });
    if (identity.until !== null && identity.until <= Date.now()) {
      throw new PlaneRefused('UNAUTHENTICATED', 'the credential has expired');
    }
    sessions.add(stream, grant, identity, hello);
  }
}

function helloFrom(bytes: Buffer): Hello {
  const message = decodePlaneMessage(bytes);
  if (message.type !== 'hello') throw new MalformedMessage('the first message is not a hello');
  return message;
}

function credentialOf(call: ServerDuplexStream<Buffer, Buffer>): PlaneCredential {
  const headers = call.metadata.get('authorization');
  const [, token = null] =
    headers.length === 1 ? (/^Bearer ([A-Za-z0-9._~+/=-]+)$/.exec(String(headers[0])) ?? []) : [];
  const raw = call.getAuthContext().sslPeerCertificate?.raw;
  return { token, certificate: raw === undefined ? null : new X509Certificate(raw) };
}
