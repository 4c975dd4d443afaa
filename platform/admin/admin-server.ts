import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { errorCode } from '../error-code.ts';
import type { BoundAddress, ListenAddress } from '../listen-address.ts';
import { type AdminAnswer, heldBytes, isWhole, textAnswer } from './admin-answer.ts';
import { discardBody, hasBody, readBody } from './admin-body.ts';
import { type AdminFilter, BodyTooLong } from './admin-filter.ts';
import type { AdminGuard, AdminRefusal } from './admin-guard.ts';
import { type AdminPath, type AdminPlace, type AdminTable, allowedMethods } from './admin-table.ts';
import { UnsentAnswers } from './unsent-answers.ts';

/** Key with its certificate chain, as PEM texts. */
export interface AdminCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface AdminServerOptions {
  /** Returns the paths that count now. */
  readonly table: () => AdminTable;
  /** Guard of paths that the table does not have: callers that it refuses do not learn which paths there are. */
  readonly guard: AdminGuard;
  /** With a certificate the server speaks TLS. */
  readonly certificate?: AdminCertificate | null;
  /** Longest request head, in bytes; 8 KiB unless said otherwise. */
  readonly longestHead?: number;
  /** Called when a path fails, which its client only sees as 500. */
  failed(error: unknown, path: string): void;
}

const TIMEOUTS = { requestTimeout: 10_000, headersTimeout: 5000 };
const LONGEST_HEAD = 8192;
const MOST_CONNECTIONS = 256;
/** Milliseconds that a client has to take the answer to a request whose body nobody wanted. */
const LONGEST_ANSWER = 5000;
/** Milliseconds after which a connection is closed on which nothing moves. */
const LONGEST_SILENCE = 60_000;
const MIN_VERSION = 'TLSv1.2';
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Serves a table of paths, each with a guard, to people, scrapers and probes. It never serves traffic. */
export class AdminServer {
  private readonly options: AdminServerOptions;
  private readonly server: Server | SecureServer;
  private readonly unsent = new UnsentAnswers();

  constructor(options: AdminServerOptions) {
    this.options = options;
    const { certificate = null, longestHead: maxHeaderSize = LONGEST_HEAD } = options;
    const limits = { ...TIMEOUTS, maxHeaderSize };
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.answer(request, response).catch(() => response.destroy());
    };
    // An import would load all that a browser has to connect with, which nobody needs here.
    this.server =
      certificate === null
        ? process.getBuiltinModule('node:http').createServer(limits, answer)
        : process
            .getBuiltinModule('node:https')
            .createServer({ ...limits, ...certificate, minVersion: MIN_VERSION }, answer);
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.timeout = LONGEST_SILENCE;
  }

  async listen(address: ListenAddress): Promise<BoundAddress> {
    const { port, orAnyPort = false } = address;
    const host = address.host === undefined ? {} : { host: address.host };
    try {
      await this.bind({ ...host, port });
    } catch (error) {
      if (!orAnyPort || errorCode(error) !== 'EADDRINUSE') throw error;
      await this.bind({ ...host, port: 0 });
    }
    const bound = this.server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  /** Listens at a path of the file system, for this user only. A socket that an earlier program left there is removed. */
  async listenAt(path: string): Promise<void> {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
    await this.bind({ path });
    chmodSync(path, 0o600);
  }

  /** Uses another certificate for new connections. */
  renew(certificate: AdminCertificate): void {
    if ('setSecureContext' in this.server) this.server.setSecureContext({ ...certificate, minVersion: MIN_VERSION });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private get scheme(): string {
    return 'setSecureContext' in this.server ? 'https' : 'http';
  }

  private bind(where: ListenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(where, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', ...rest] = (request.url ?? '').split('?');
    const query = rest.join('?');
    let answer: AdminAnswer;
    try {
      answer = await this.answerTo(request, path, query);
    } catch (error) {
      this.options.failed(error, path);
      answer = textAnswer(500, 'the request failed');
    }
    const { status, type, body, headers } = answer;
    this.unsent.add(request.socket, response, heldBytes(answer));
    const media = type === '' ? {} : { 'content-type': type };
    const head = { ...ALWAYS, ...media, ...headers };
    const isUnread = hasBody(request) && !request.complete;
    // Of a body that was not read to its end, nothing can be told apart from the next request.
    const closing = isUnread ? { connection: 'close' } : {};
    if (!isWhole(body)) {
      response.writeHead(status, { ...head, ...closing });
      await this.sendPieces(response, body, path);
      return;
    }
    const { socket } = response; // null behind an earlier request that is not answered yet
    if (!isUnread || socket === null) {
      response.writeHead(status, { ...head, ...closing }).end(body);
      return;
    }
    response.writeHead(status, { ...head, 'content-length': Buffer.byteLength(body), ...closing });
    response.flushHeaders();
    response.write(body);
    // Over TLS the answer leaves later than it was written: a socket that is destroyed before loses the rest of it.
    const sent = new Promise<void>((resolve) => socket.end(resolve));
    await discardBody(request);
    const callOff = setTimeout(() => socket.destroy(), LONGEST_ANSWER);
    await sent;
    clearTimeout(callOff);
    socket.destroy();
  }

  /** Sends pieces as fast as the client takes them. A client that gets no end of its answer notices. */
  private async sendPieces(response: ServerResponse, pieces: AsyncIterable<string>, path: string): Promise<void> {
    try {
      for await (const piece of response.req.method === 'HEAD' ? [] : pieces) {
        if (response.destroyed) return;
        if (!response.write(piece)) await drained(response);
      }
      response.end();
    } catch (error) {
      this.options.failed(error, path);
      response.destroy();
    }
  }

  private async answerTo(request: IncomingMessage, path: string, query: string): Promise<AdminAnswer> {
    // Guards look at one of them, and a proxy may have looked at the other.
    if ((request.headersDistinct['host']?.length ?? 0) > 1) return textAnswer(400, 'send one Host header');
    const table = this.options.table();
    const place = table.find(path);
    const row = place?.rows.find(({ method }) => method === '*' || method === methodOf(request));
    const asked = row ?? place?.rows[0];
    const refusal = await (asked?.guard ?? this.options.guard).admit(request, path);
    if (refusal !== null) return refusalAnswer(refusal, asked);
    if (place === null) return textAnswer(404, `not found; the paths are ${listOf(table.listed)}`);
    if (row === undefined && asked?.filter === undefined) return wrongMethod(place);
    const answer = await (asked?.filter === undefined
      ? callRow(row!, place, request, { path, query, scheme: this.scheme })
      : this.filtered(asked, asked.filter, request));
    if (this.unsent.fits(heldBytes(answer))) return answer;
    const later = { headers: { 'retry-after': '1' } };
    return refusalAnswer({ status: 503, message: 'too many long answers are being sent', ...later }, asked);
  }

  /** Answers through a filter, which may lead to another path, but not to one that it does not stand in front of. */
  private async filtered(row: AdminPath, filter: AdminFilter, request: IncomingMessage): Promise<AdminAnswer> {
    const origin = `${this.scheme}://${request.headers.host ?? 'localhost'}`;
    const remoteAddress = request.socket.remoteAddress ?? '';
    try {
      return await filter.answer(request, row.longestBody ?? 0, async ({ method, path, search, body, header }) => {
        const place = this.options.table().find(path);
        if (place === null || place.rows[0]?.filter !== filter) return refusedBy(row, 404, 'not found');
        const plain = method === 'HEAD' ? 'GET' : method;
        const passed = place.rows.find((one) => one.method === '*' || one.method === plain);
        if (passed === undefined) return wrongMethod(place);
        const call = { parameters: place.parameters, query: new URLSearchParams(search), body, path, search, header };
        return passed.answer({ ...call, origin, remoteAddress, method: passed.method === '*' ? method : plain });
      });
    } catch (error) {
      if (!(error instanceof BodyTooLong)) throw error;
      return refusedBy(row, 413, `a body has at most ${row.longestBody ?? 0} bytes`);
    }
  }
}

/** Resolves when a response takes more, or will not be sent. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}

async function callRow(
  row: AdminPath,
  { parameters }: AdminPlace,
  request: IncomingMessage,
  { path, query, scheme }: { readonly path: string; readonly query: string; readonly scheme: string },
): Promise<AdminAnswer> {
  const { longestBody } = row;
  const body = longestBody === undefined ? Buffer.alloc(0) : await readBody(request, longestBody);
  if (body === null) return refusedBy(row, 413, `a body has at most ${longestBody} bytes`);
  return row.answer({
    parameters,
    query: new URLSearchParams(query),
    body,
    method: (row.method === '*' ? request.method : methodOf(request)) ?? '',
    path,
    search: query,
    origin: `${scheme}://${request.headers.host ?? 'localhost'}`,
    remoteAddress: request.socket.remoteAddress ?? '',
    header: (name) => request.headersDistinct[name]?.[0] ?? null,
  });
}

function methodOf({ method }: IncomingMessage): string | undefined {
  return method === 'HEAD' ? 'GET' : method;
}

function refusalAnswer({ status, message, headers }: AdminRefusal, row: AdminPath | undefined): AdminAnswer {
  const answer = refusedBy(row, status, message);
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return { ...answer, headers: { ...answer.headers, ...challenge, ...headers } };
}

function refusedBy(row: AdminPath | undefined, status: number, message: string): AdminAnswer {
  return row?.refused?.(status, message) ?? textAnswer(status, message);
}

function wrongMethod(place: AdminPlace): AdminAnswer {
  const methods = place.rows.map(({ method }) => method);
  return textAnswer(405, `use ${listOf(methods, 'or')}`, { allow: allowedMethods(place) });
}

function listOf(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
