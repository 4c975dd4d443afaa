import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { errorCode } from '../error-code.ts';
import type { BoundAddress, ListenAddress } from '../listen-address.ts';
import { type AdminAnswer, textAnswer } from './admin-answer.ts';
import { hasBody, readBody } from './admin-body.ts';
import type { AdminGuard, AdminRefusal } from './admin-guard.ts';
import { type AdminPath, type AdminPlace, type AdminTable, allowedMethods } from './admin-table.ts';

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
const MIN_VERSION = 'TLSv1.2';
const ALWAYS = { 'cache-control': 'no-store' };

/** Serves a table of paths, each with a guard, to people, scrapers and probes. It never serves traffic. */
export class AdminServer {
  private readonly options: AdminServerOptions;
  private readonly server: Server | SecureServer;

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
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    let answer: AdminAnswer;
    try {
      answer = await this.answerTo(request, path, query);
    } catch (error) {
      this.options.failed(error, path);
      answer = textAnswer(500, 'the request failed');
    }
    const { status, type, body, headers } = answer;
    // Of a body that was not read to its end, nothing can be told apart from the next request.
    const unread = hasBody(request) && !request.complete ? { connection: 'close' } : {};
    response.writeHead(status, { ...ALWAYS, 'content-type': type, ...headers, ...unread }).end(body);
  }

  private async answerTo(request: IncomingMessage, path: string, query: string): Promise<AdminAnswer> {
    const table = this.options.table();
    const place = table.find(path);
    const row = place?.rows.find(({ method }) => method === methodOf(request));
    const guard = (row ?? place?.rows[0])?.guard ?? this.options.guard;
    const refusal = await guard.admit(request, path);
    if (refusal !== null) return refusalAnswer(refusal);
    if (place === null) return textAnswer(404, `not found; the paths are ${listOf(table.listed)}`);
    return row === undefined ? wrongMethod(place) : callRow(row, place, request, query);
  }
}

async function callRow(
  row: AdminPath,
  { parameters }: AdminPlace,
  request: IncomingMessage,
  query: string,
): Promise<AdminAnswer> {
  const { longestBody } = row;
  const body = longestBody === undefined ? Buffer.alloc(0) : await readBody(request, longestBody);
  if (body === null) return textAnswer(413, `a body has at most ${longestBody} bytes`);
  return row.answer({ parameters, query: new URLSearchParams(query), body });
}

function methodOf({ method }: IncomingMessage): string | undefined {
  return method === 'HEAD' ? 'GET' : method;
}

function refusalAnswer({ status, message }: AdminRefusal): AdminAnswer {
  return textAnswer(status, message, status === 401 ? { 'www-authenticate': 'Bearer' } : {});
}

function wrongMethod(place: AdminPlace): AdminAnswer {
  const methods = place.rows.map(({ method }) => method);
  return textAnswer(405, `use ${listOf(methods, 'or')}`, { allow: allowedMethods(place) });
}

function listOf(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
