import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HeldSessions } from './am-sessions.ts';

/** A WebSocket that an agent opened. */
export interface NotificationSocket {
  readonly socket: WebSocket;
  readonly topics: Set<string>;
  /** Messages that the client sent, in order. */
  readonly received: string[];
  /** How many PING frames arrived. */
  pings: number;
}

const PROTOCOL = 'v1.notifications.forgerock.org';

/** The notification service `/notifications`. */
export class NotificationSockets {
  /** Status of the answer to each handshake, in order; 101 for those that were accepted. */
  readonly handshakes: number[] = [];
  /** Sockets that are open, oldest first. */
  readonly open: NotificationSocket[] = [];
  /** Status that every handshake is refused with; null accepts agents. */
  refusal: number | null = null;
  /** Half-open: keeps connections, but reads, answers and sends nothing. Handshakes get no answer either. */
  isSilent = false;
  /** Whether events are sent bare, as older versions do, instead of with topic and timestamp around them. */
  bare = false;
  /** Topics whose subscription gets an error instead of a confirmation. */
  readonly refusedTopics = new Set<string>();
  private readonly sessions: HeldSessions;
  private readonly cookieName: string;
  private readonly server = new WebSocketServer({
    noServer: true,
    autoPong: false,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  private readonly watchers = new Set<() => void>();
  private readonly unanswered = new Set<Duplex>();

  constructor(sessions: HeldSessions, cookieName: string) {
    this.sessions = sessions;
    this.cookieName = cookieName;
  }

  /** Answers a handshake. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on('error', () => {});
    if (this.isSilent) {
      this.unanswered.add(stream);
      return;
    }
    const status = this.refusal ?? this.judged(request);
    this.handshakes.push(status);
    if (status !== 101) {
      const body = JSON.stringify({ code: status });
      stream.end(
        `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      this.tell();
      return;
    }
    this.server.handleUpgrade(request, stream, head, (socket) => this.accept(socket));
  }

  /** Sends an event to the sockets that subscribed to its topic. */
  push(topic: string, body: object): void {
    const text = JSON.stringify(this.bare ? body : { topic, timestamp: new Date().toISOString(), body });
    for (const { socket, topics } of this.open) if (topics.has(topic)) this.send(socket, text);
  }

  /** Sends anything to all sockets, whatever they subscribed to. */
  pushRaw(message: string | Buffer): void {
    for (const { socket } of this.open) this.send(socket, message);
  }

  /** Sends a PING frame to all sockets, as the server does every 30 seconds. */
  ping(): void {
    if (!this.isSilent) for (const { socket } of this.open) socket.ping('ping');
  }

  /** Resolves when every client has read what was sent to it so far. */
  async untilRead(): Promise<void> {
    const pongs = this.open.map(({ socket }) => once(socket, 'pong'));
    this.ping();
    await Promise.all(pongs);
  }

  /** Closes all sockets with a Close frame. */
  close(code = 1001): void {
    for (const { socket } of [...this.open]) socket.close(code);
  }

  /** Cuts all connections without a Close frame. */
  terminate(): void {
    for (const { socket } of [...this.open]) socket.terminate();
    for (const stream of this.unanswered) stream.destroy();
    this.unanswered.clear();
  }

  /** Resolves when as many sockets as given subscribed to a topic. */
  untilSubscribed(topic: string, count = 1): Promise<void> {
    return this.until(() => this.open.filter(({ topics }) => topics.has(topic)).length >= count);
  }

  /** Resolves when as many sockets as given are open. */
  untilOpen(count = 1): Promise<void> {
    return this.until(() => this.open.length >= count);
  }

  /** Resolves when no socket is open. */
  untilNoneOpen(): Promise<void> {
    return this.until(() => this.open.length === 0);
  }

  /** Resolves when as many handshakes as given were answered. */
  untilHandshakes(count: number): Promise<void> {
    return this.until(() => this.handshakes.length >= count);
  }

  /** Resolves when something about the sockets is so: looked at after each handshake, message, PING and end. */
  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
    });
  }

  private judged(request: IncomingMessage): number {
    const token = request.headers[this.cookieName.toLowerCase()];
    const session = this.sessions.find(typeof token === 'string' ? token : null);
    if (session === null) return 401;
    return session.kind === 'agent' ? 101 : 403;
  }

  private accept(socket: WebSocket): void {
    const opened: NotificationSocket = { socket, topics: new Set(), received: [], pings: 0 };
    this.open.push(opened);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.open.splice(this.open.indexOf(opened), 1);
      this.tell();
    });
    socket.on('ping', (payload: Buffer) => {
      opened.pings += 1;
      if (!this.isSilent) socket.pong(payload);
      this.tell();
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary) {
        opened.received.push(String(data));
        const reply = this.replyTo(String(data), opened.topics);
        this.send(socket, JSON.stringify(reply));
      }
      this.tell();
    });
    this.tell();
  }

  private replyTo(text: string, topics: Set<string>): object {
    let message: Readonly<Record<string, unknown>>;
    try {
      message = JSON.parse(text) as Record<string, unknown>;
    } catch {
      return { error: 'Failed to parse json' };
    }
    const { action, topic, id } = message;
    const named = typeof id === 'string' ? { id } : {};
    if (id !== undefined && typeof id !== 'string') return { error: '"id" must be a string' };
    if (typeof action !== 'string') return { error: 'missing required field "action"', ...named };
    if (action !== 'subscribe') return { error: `unknown action "${action}"`, ...named };
    if (typeof topic !== 'string') return { error: 'missing required field "topic"', ...named };
    if (this.refusedTopics.has(topic)) return { error: `unknown topic "${topic}"`, ...named };
    topics.add(topic);
    return { topic, message: 'subscription registered', ...named };
  }

  private send(socket: WebSocket, message: string | Buffer): void {
    if (!this.isSilent) socket.send(message, { binary: typeof message !== 'string' });
  }

  private tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}
