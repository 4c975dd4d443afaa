import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { EchoBackend } from '../backends/echo-backend.ts';
import { ClosedLoopClient } from '../clients/closed-loop-client.ts';
import { CLIENT, POSTER } from '../identity/authorization-server.ts';
import { GatewayProcess } from './gateway-process.ts';
import { type FolderContent, InstanceFolder } from './instance-folder.ts';

/** What a client is told. */
export interface Told {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

/** What a client is told over TLS, and by whom. */
export interface ToldSecurely extends Told {
  /** The common name in the certificate of the gateway. */
  readonly by: string;
}

/** Whom a client trusts, and who it is. */
export interface TlsIdentity {
  readonly ca: string;
  readonly key?: string;
  readonly cert?: string;
}

/** Files of an instance whose routes lead to the backend at `url`. */
export type FilesFor = (url: string) => FolderContent;

/**
 * A whole gateway of two units, started from a folder as an operator does, in front of a backend of its own. It logs
 * all that it can, and knows which texts must not be in there.
 */
export class ProtectedInstance {
  readonly folder: InstanceFolder;
  readonly backend: EchoBackend;
  readonly process: GatewayProcess;
  private readonly secrets = new Set<string>();

  private constructor(folder: InstanceFolder, backend: EchoBackend, gateway: GatewayProcess) {
    this.folder = folder;
    this.backend = backend;
    this.process = gateway;
    for (const { id, secret } of [CLIENT, POSTER]) this.hide(secret, basic(id, secret));
  }

  /** Starts one that is gone after the test. */
  static async start(files: FilesFor, env: NodeJS.ProcessEnv = {}): Promise<ProtectedInstance> {
    const backend = await EchoBackend.start();
    onTestFinished(() => backend.close());
    const folder = new InstanceFolder(files(backend.url));
    onTestFinished(() => folder[Symbol.dispose]());
    const words = ['--units', '2', '--watch', '--log-level', 'debug', '--access-log', '-'];
    const gateway = await GatewayProcess.run(folder.path, words, env);
    onTestFinished(async () => void (await gateway.stop()));
    return new ProtectedInstance(folder, backend, gateway);
  }

  /** Names texts that must not be in what it logs; of a PEM text, its lines. */
  hide(...secrets: readonly string[]): void {
    for (const secret of secrets) {
      const parts = secret.includes('-----BEGIN') ? secret.split('\n') : secret.split('.');
      for (const part of parts) if (part.length >= 8 && !part.startsWith('-----')) this.secrets.add(part);
    }
  }

  /** Asks on a connection of its own, which goes to any unit. */
  async ask(path: string, token: string | null, headers: Readonly<Record<string, string>> = {}): Promise<Told> {
    if (token !== null) this.hide(token);
    const credentials = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${this.process.port}${path}`, {
      headers: { connection: 'close', ...credentials, ...headers },
    });
    return { status: response.status, body: await response.text(), headers: response.headers };
  }

  /** The same over TLS, to `gateway.test`. */
  securely(path: string, identity: TlsIdentity, headers: Readonly<Record<string, string>>): Promise<ToldSecurely> {
    const where = { host: '127.0.0.1', port: this.process.port, path, servername: 'gateway.test', agent: false };
    return new Promise((resolve, reject) => {
      const sent = request({ ...where, ...identity, headers: { host: 'gateway.test', ...headers } });
      sent.on('error', reject);
      sent.on('response', async (answer) => {
        const by = String((answer.socket as TLSSocket).getPeerCertificate().subject.CN);
        let body = '';
        for await (const part of answer) body += String(part);
        const received = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: answer.statusCode!, body, headers: received, by });
      });
      sent.end();
    });
  }

  async status(path: string, token: string | null): Promise<number> {
    return (await this.ask(path, token)).status;
  }

  /** Clients that ask for one thing after the other under a path, with the token that is the one at the time. */
  async load(count: number, path: string, token: () => string): Promise<Load> {
    const fields = (): string => {
      this.hide(token());
      return `Authorization: Bearer ${token()}\r\n`;
    };
    const connect = (_: unknown, at: number): Promise<ClosedLoopClient> =>
      ClosedLoopClient.connect(this.process.port, `${path}/${at}`, fields);
    return new Load(await Promise.all(Array.from({ length: count }, connect)));
  }

  /** The sum of a figure over all its labels that match, 0 when there is none. */
  async sum(metric: string, labels: RegExp = /^/): Promise<number> {
    const { text } = await this.process.admin('/metrics');
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`) && labels.test(line));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Stops it. @returns those texts that it should have kept to itself, and everything that looks like a JWT. */
  async leaks(): Promise<readonly string[]> {
    const { text: metrics } = await this.process.admin('/metrics');
    await this.process.stop();
    const written = `${this.process.stdout}${JSON.stringify(this.process.said)}`;
    if (!/"status":200/.test(written)) throw new Error('it has logged no request, so its log shows nothing');
    const all = `${written}${metrics}`;
    return [...[...this.secrets].filter((secret) => all.includes(secret)), ...(all.match(/eyJ[\w-]+\.[\w-]+/g) ?? [])];
  }
}

/** Clients that are at work until they are told to stop. */
export class Load {
  private readonly clients: readonly ClosedLoopClient[];
  private readonly over: Promise<unknown>;

  constructor(clients: readonly ClosedLoopClient[]) {
    this.clients = clients;
    this.over = Promise.all(clients.map((client) => client.run()));
  }

  /** How many answers the client has that has the fewest. */
  get answered(): number {
    return Math.min(...this.clients.map(({ answered }) => answered));
  }

  /** What has gone wrong so far. */
  get problems(): readonly string[] {
    return this.clients.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  }

  /** @returns what went wrong. */
  async stop(): Promise<readonly string[]> {
    for (const client of this.clients) client.stop();
    await this.over;
    return this.problems;
  }
}

/** A route for the paths under a name: these filters, then the backend. */
export function route(name: string, url: string, filters: readonly unknown[], heap: readonly unknown[] = []): object {
  return {
    heap,
    condition: `\${find(request.uri.path, '^/${name}/')}`,
    handler: {
      type: 'Chain',
      config: { filters, handler: { type: 'ReverseProxyHandler', baseURI: url } },
    },
  };
}

/** A filter that takes the tokens that a resolver vouches for. */
export function resourceServer(accessTokenResolver: unknown, config: object = {}): object {
  return {
    type: 'OAuth2ResourceServerFilter',
    config: { accessTokenResolver, scopes: ['read'], requireHttps: false, ...config },
  };
}

/** The value of Basic credentials. */
function basic(id: string, secret: string): string {
  return Buffer.from(`${id}:${secret}`).toString('base64');
}
