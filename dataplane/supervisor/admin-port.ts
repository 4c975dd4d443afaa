import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { isFromThisMachine } from '../../contract/own-machine.ts';
import { percentDecoded } from '../engine/head/percent-decoded.ts';
import { MetricsText } from '../metrics/metrics-text.ts';
import type { MonitoringRecord } from '../metrics/monitoring.ts';
import { monitoringAnswer } from './monitoring-endpoint.ts';

/** What the admin port shows and does. */
export interface AdminSource {
  readonly registry: Registry;
  readonly ready: boolean;
  readonly status: object;
  /** Administrative base path, under which the metrics are also found. */
  readonly prefix: string;
  /** Whether loopback says nothing of who asks: in a Pod, other containers and `kubectl port-forward` come over it. */
  readonly isInPod: boolean;
  monitoring(): MonitoringRecord[];
  /** @returns false when there is no such unit. */
  restartUnit(unit: number): boolean;
}

/** An address to listen on; without a host, every interface. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
  /** Take any free port when this one is taken. */
  readonly orAnyPort?: boolean;
}

/**
 * Health and metrics for anybody, everything else for loopback only and in a Pod for nobody. It is never the traffic port, and it runs beside
 * the units, so that it answers when they do not.
 */
export class AdminPort {
  private readonly server: Server;
  private readonly source: AdminSource;
  private readonly metrics: MetricsText;

  constructor(source: AdminSource) {
    this.source = source;
    this.metrics = new MetricsText(source.registry);
    // imported, it would load all that a browser has to connect with, which nobody needs here
    const { createServer } = process.getBuiltinModule('node:http');
    this.server = createServer(
      { requestTimeout: 10_000, headersTimeout: 5000, maxHeaderSize: 8192 },
      (request, response) => {
        this.answer(request, response).catch(() => response.destroy());
      },
    );
  }

  async listen(address: ListenAddress): Promise<{ host: string; port: number }> {
    try {
      await this.bind(address);
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || address.orAnyPort !== true) throw error;
      await this.bind({ host: address.host, port: 0 });
    }
    const bound = this.server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  private bind({ host, port }: ListenAddress): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = (request.url ?? '').split('?', 2);
    const reading = request.method === 'GET' || request.method === 'HEAD';
    if (path === '/health/live') return say(response, reading ? 200 : 405, reading ? 'alive' : 'use GET');
    if (path === '/health/ready') {
      const { ready } = this.source;
      return say(response, !reading ? 405 : ready ? 200 : 503, !reading ? 'use GET' : ready ? 'ready' : 'not ready');
    }
    const { prefix } = this.source;
    if (path === `/${prefix}/ping`) return say(response, reading ? 200 : 405, reading ? 'alive' : 'use GET');
    if (
      path === '/metrics' ||
      path === `/${prefix}/metrics/prometheus` ||
      path === `/${prefix}/metrics/prometheus/0.0.4`
    ) {
      if (!reading) return say(response, 405, 'use GET');
      const text = await this.metrics.read();
      response.writeHead(200, { 'content-type': this.source.registry.contentType }).end(text);
      return;
    }
    const monitoring = `/${prefix}/metrics/api`;
    if (path === monitoring || path?.startsWith(`${monitoring}/`) === true) {
      if (!reading) return say(response, 405, 'use GET');
      const id = percentDecoded(path.slice(monitoring.length + 1));
      const answer = monitoringAnswer(id, new URLSearchParams(query), () => this.source.monitoring());
      response
        .writeHead(answer.status, { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-cache' })
        .end(JSON.stringify(answer.body));
      return;
    }
    if (this.source.isInPod) return say(response, 403, 'only health and metrics are here: ask the controller');
    if (!isFromThisMachine(request)) return say(response, 403, 'only from this machine');
    if (path === '/' && reading) {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`${JSON.stringify(this.source.status, null, 2)}\n`);
      return;
    }
    const restart = /^\/units\/(\d{1,4})\/restart$/.exec(path ?? '');
    if (restart === null) {
      const own = `/${prefix}/ping, /${prefix}/metrics/prometheus and /${prefix}/metrics/api`;
      return say(response, 404, `there are /, /health/live, /health/ready, /metrics, ${own}`);
    }
    if (request.method !== 'POST') return say(response, 405, 'use POST');
    const found = this.source.restartUnit(Number(restart[1]));
    say(response, found ? 202 : 404, found ? 'restarting' : 'no such unit');
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
