import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import type { Registry } from 'prom-client';
import type { AdminGuard } from './admin-guard.ts';

/** What the admin addresses of a controller show. */
export interface ControllerAdminSource {
  readonly registry: Registry;
  /** Null when it is ready; otherwise what it waits for. */
  waitsFor(): string | null;
  status(): object | Promise<object>;
  /** Redacted, as text of JSON. */
  dump(): string;
  /** Answers the Common REST view of the metrics. @param id empty for a query */
  monitoring(id: string, query: URLSearchParams): { readonly status: number; readonly body: unknown };
}

/** A key with its certificates, as PEM texts. */
export interface AdminCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface AdminAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const LIMITS = { requestTimeout: 10_000, headersTimeout: 5000, maxHeaderSize: 32_768 };
const MOST_CONNECTIONS = 256;
/** How long the text of the metrics is shown again, in milliseconds: anybody may ask, and it takes long to write. */
const METRICS_AGE = 1000;
const PREFIX = '/openig';
const METRICS = new Set(['/metrics', `${PREFIX}/metrics/prometheus`, `${PREFIX}/metrics/prometheus/0.0.4`]);
const MONITORING = `${PREFIX}/metrics/api`;

/** One admin address of a controller: health and metrics for anybody, everything else for whom its guard lets in. */
export class ControllerAdmin {
  private readonly server: Server | SecureServer;
  private readonly source: ControllerAdminSource;
  private readonly guard: AdminGuard;
  private metrics: { readonly at: number; readonly text: Promise<string> } | null = null;

  /** @param certificate with one it speaks TLS, without it does not */
  constructor(source: ControllerAdminSource, guard: AdminGuard, certificate: AdminCertificate | null) {
    this.source = source;
    this.guard = guard;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.answer(request, response).catch(() => response.destroy());
    };
    this.server =
      certificate === null
        ? createServer(LIMITS, answer)
        : createSecureServer({ ...LIMITS, ...certificate, minVersion: 'TLSv1.2' }, answer);
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  async listen({ host, port }: AdminAddress): Promise<{ readonly host: string; readonly port: number }> {
    await this.bind({ port, ...(host === undefined ? {} : { host }) });
    const bound = this.server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  /** Listens at a path of the file system, for this user only. What a program before this one left there goes. */
  async listenAt(path: string): Promise<void> {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
    await this.bind({ path });
    chmodSync(path, 0o600);
  }

  /** Uses another certificate for connections from now on. */
  renew(certificate: AdminCertificate): void {
    if ('setSecureContext' in this.server) this.server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' });
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
    const [path = '', query] = (request.url ?? '').split('?', 2);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      say(response.setHeader('allow', 'GET, HEAD'), 405, 'use GET');
    } else if (path === '/health/live') say(response, 200, 'alive');
    else if (path === '/health/ready') this.sayReady(response);
    else if (METRICS.has(path)) {
      const text = await this.metricsText();
      response.writeHead(200, { 'content-type': this.source.registry.contentType }).end(text);
    } else await this.answerGuarded(path, new URLSearchParams(query), request, response);
  }

  private metricsText(): Promise<string> {
    const now = performance.now();
    if (this.metrics === null || now - this.metrics.at >= METRICS_AGE) {
      this.metrics = { at: now, text: this.source.registry.metrics() };
    }
    return this.metrics.text;
  }

  private sayReady(response: ServerResponse): void {
    const waitsFor = this.source.waitsFor();
    if (waitsFor === null) say(response, 200, 'ready');
    else say(response, 503, `not ready: ${waitsFor}`);
  }

  private async answerGuarded(
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const refusal = await this.guard.admit(request, path);
    if (refusal !== null) {
      if (refusal.status === 401) response.setHeader('www-authenticate', 'Bearer');
      say(response, refusal.status, refusal.message);
    } else if (path === '/status') show(response, 200, JSON.stringify(await this.source.status()));
    else if (path === '/dump') show(response, 200, this.source.dump());
    else if (path === MONITORING || path.startsWith(`${MONITORING}/`)) {
      const id = decoded(path.slice(MONITORING.length + 1));
      const { status, body } = this.source.monitoring(id, query);
      show(response, status, JSON.stringify(body));
    } else say(response, 404, `there are /health/live, /health/ready, /metrics, /status, /dump and ${MONITORING}`);
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .end(`${text}\n`);
}

function show(response: ServerResponse, status: number, json: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' })
    .end(`${json}\n`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
