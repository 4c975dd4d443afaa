import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A policy that both the double and a real access manager can be given. */
export interface WirePolicy {
  readonly name: string;
  /** With a port, as policies of OpenAM have one: `http://app.test:80/app/*`. */
  readonly resource: string;
  readonly actions: Readonly<Record<string, boolean>>;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** Least level of authentication. */
  readonly authLevel?: number;
}

/** An access manager that wire cases run against: the double or a real one. */
export interface WireTarget {
  readonly url: string;
  readonly agent: Credentials;
  readonly user: Credentials;
  /** Creates a policy for all users, or replaces the one of its name. */
  setPolicy(policy: WirePolicy): Promise<void>;
  deletePolicy(name: string): Promise<void>;
}

/** An answer with its body read as JSON. */
export interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Header that carries tokens. */
export const TOKEN_HEADER = 'iPlanetDirectoryPro';

export function amPost(
  { url }: WireTarget,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: object | null = {},
): Promise<WireAnswer> {
  return amFetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

export async function amFetch(url: string, init: RequestInit = {}): Promise<WireAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

export function version(resource: string): Readonly<Record<string, string>> {
  return { 'Accept-API-Version': `protocol=1.0,resource=${resource}` };
}

/** Logs somebody in and returns the token. */
export async function logIn(target: WireTarget, { username, password }: Credentials, query = ''): Promise<string> {
  const headers = { 'X-OpenAM-Username': username, 'X-OpenAM-Password': password, ...version('2.0') };
  const { status, body } = await amPost(target, `/json/authenticate${query}`, headers);
  const { tokenId } = body as { readonly tokenId?: string };
  if (tokenId === undefined) throw new Error(`${username} cannot log in: ${status} ${JSON.stringify(body)}`);
  return tokenId;
}

export function logInAgent(target: WireTarget): Promise<string> {
  return logIn(target, target.agent, '?authIndexType=module&authIndexValue=Application');
}

/** A client of the notification service. */
export class WireListener {
  readonly socket: WebSocket;
  private readonly messages: Readonly<Record<string, unknown>>[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)) as Record<string, unknown>);
      for (const wake of [...this.waiting]) wake();
    });
  }

  /** Status of the handshake with these headers. */
  static async handshake({ url }: WireTarget, headers: Readonly<Record<string, string>>): Promise<number> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/notifications`, { headers });
    onTestFinished(() => socket.terminate());
    socket.on('error', () => {});
    return new Promise((resolve) => {
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode!));
    });
  }

  static async open({ url }: WireTarget, token: string): Promise<WireListener> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/notifications`, 'v1.notifications.forgerock.org', {
      headers: { [TOKEN_HEADER]: token },
    });
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    return new WireListener(socket);
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The next message that fits, which may have arrived already. */
  async next(
    fits: (message: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const found = this.messages.findIndex(fits);
      if (found !== -1) return this.messages.splice(found, 1)[0]!;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.waiting.delete(wake);
          resolve();
        };
        this.waiting.add(wake);
      });
    }
  }

  /** Drops what has arrived and was not taken. */
  forget(): void {
    this.messages.length = 0;
  }

  /** The same, or null after so many milliseconds without one. */
  nextWithin(
    milliseconds: number,
    fits: (message: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const { promise: patience, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), milliseconds);
    return Promise.race([this.next(fits), patience]).finally(() => clearTimeout(timer));
  }

  /** Subscribes and waits for the confirmation. */
  async subscribe(topic: string): Promise<Readonly<Record<string, unknown>>> {
    this.send({ action: 'subscribe', topic });
    return this.next((message) => message['topic'] === topic && message['message'] !== undefined);
  }
}
