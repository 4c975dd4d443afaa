import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { parse } from 'yaml';

/** How long credentials are used before their files are looked at again, in milliseconds. */
const FRESH = 10_000;

export interface AccessOptions {
  /** Path of a kubeconfig; left out inside of a cluster, where the Pod's ServiceAccount says who we are. */
  readonly kubeconfig?: string;
  /** Which context of it; by default its current one. */
  readonly context?: string;
  /** What stands in front of the paths of the ServiceAccount's files. */
  readonly root?: string;
}

/** Credentials of a call. */
export interface Credentials {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Path that stands in front of all others; empty for most servers. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mark: string;
}

/** Connection to the API server that shows nothing of our identity. */
export type BareAccess = Pick<Credentials, 'dispatcher' | 'origin' | 'prefix'>;

/** Our identity for the API server and its address, from the current configuration. */
export class ApiAccess {
  private readonly options: AccessOptions;
  private config: KubeConfig;
  private current: { readonly credentials: Credentials; readonly until: number } | null = null;
  private wire: { readonly dispatcher: Dispatcher; readonly mark: string } | null = null;
  private tls: ServerTls = {};
  /** For calls with tokens of others: with our client certificate, the API server would take them for ours. */
  private bareWire: { readonly dispatcher: Dispatcher; readonly mark: string } | null = null;
  private reading: Promise<Credentials> | null = null;

  /** @throws Error when there is no usable configuration */
  constructor(options: AccessOptions) {
    this.options = options;
    this.config = load(options);
  }

  get server(): string {
    return serverOf(this.config);
  }

  get namespace(): string | null {
    return this.config.getContextObject(this.config.getCurrentContext())?.namespace?.trim() || null;
  }

  async credentials(): Promise<Credentials> {
    if (this.current !== null && performance.now() < this.current.until) return this.current.credentials;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return await this.reading;
  }

  /** Reads everything anew, because these credentials were refused. @returns null when there are no others */
  async renewed(refused: Credentials): Promise<Credentials | null> {
    if (this.current?.credentials === refused) {
      this.current = null;
      this.config = load(this.options); // the library keeps a token for a minute, a new one of it does not have it
    }
    const fresh = await this.credentials();
    return fresh.mark === refused.mark ? null : fresh;
  }

  /** Connections without credentials, for callers that bring their own. */
  async bare(): Promise<BareAccess> {
    const { origin, prefix } = await this.credentials(); // the authorities of the server may have changed
    const { tls, config } = this;
    const proxy = config.getCurrentCluster()?.proxyUrl;
    const mark = markOf([origin, tls.ca, tls.servername, tls.rejectUnauthorized, proxy]);
    if (this.bareWire?.mark !== mark) {
      void this.bareWire?.dispatcher.close();
      this.bareWire = { dispatcher: bareDispatcher(tls, proxy), mark };
    }
    return { dispatcher: this.bareWire.dispatcher, origin, prefix };
  }

  async close(): Promise<void> {
    await Promise.all([this.wire?.dispatcher.destroy(), this.bareWire?.dispatcher.destroy()]);
  }

  private async read(): Promise<Credentials> {
    const { config } = this;
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const headers = headersOf(options);
    const { origin, pathname } = new URL(serverOf(config));
    const { ca, cert, key, servername, rejectUnauthorized } = options;
    this.tls = { ca, servername, rejectUnauthorized };
    const wireMark = markOf([origin, ca, cert, key, servername, rejectUnauthorized]);
    if (this.wire?.mark !== wireMark) {
      void this.wire?.dispatcher.close(); // what is under way ends by itself
      this.wire = { dispatcher: await dispatcherOf(config, options), mark: wireMark };
    }
    const credentials = {
      dispatcher: this.wire.dispatcher,
      origin,
      prefix: pathname.replace(/\/$/, ''),
      headers,
      mark: markOf([wireMark, JSON.stringify(headers)]),
    };
    this.current = { credentials, until: performance.now() + FRESH };
    return credentials;
  }
}

function load({ kubeconfig, context, root = '' }: AccessOptions): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig !== undefined) {
    config.loadFromFile(kubeconfig);
    nameTokenFiles(config, kubeconfig);
  } else if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined) {
    config.loadFromCluster(root);
  } else {
    throw new Error('this is not a Pod of a cluster, and no kubeconfig is given');
  }
  if (context !== undefined) config.setCurrentContext(context);
  serverOf(config);
  return config;
}

function serverOf(config: KubeConfig): string {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`the kubeconfig has no cluster for its context ${config.getCurrentContext()}`);
  return cluster.server;
}

/** The library does not know `tokenFile` of a kubeconfig, only of a Pod. */
function nameTokenFiles(config: KubeConfig, path: string): void {
  const { users } = parse(readFileSync(path, 'utf8')) as {
    users?: { name: string; user?: { tokenFile?: string } | null }[];
  };
  for (const { name, user } of users ?? []) {
    const known = config.getUser(name);
    if (typeof user?.tokenFile !== 'string' || known === null) continue;
    const { token: _, ...others } = known;
    const tokenFile = resolve(dirname(path), user.tokenFile);
    const withFile = { ...others, authProvider: { name: 'tokenFile', config: { tokenFile } } };
    config.users = config.users.map((one) => (one === known ? withFile : one));
  }
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) found[name.toLowerCase()] = String(value).trim(); // files end in a line break
  }
  if (typeof auth === 'string') found['authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`;
  return found;
}

/** Through a proxy as the library goes; otherwise over HTTP/1.1, where a dead connection costs one watch and not all. */
async function dispatcherOf(config: KubeConfig, options: RequestOptions): Promise<Dispatcher> {
  if (config.getCurrentCluster()?.proxyUrl) {
    const context = new RequestContext(serverOf(config), HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    const dispatcher = context.getDispatcher();
    if (dispatcher !== undefined) return dispatcher;
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return agentOf({ ca, cert, key, servername, rejectUnauthorized });
}

/** Proof of who the server is, and of who we are. */
type ServerTls = Pick<RequestOptions, 'ca' | 'servername' | 'rejectUnauthorized'>;
type TlsOptions = ServerTls & Pick<RequestOptions, 'cert' | 'key'>;

function agentOf(tls: TlsOptions): Agent {
  return new Agent({
    connect: { ...present(tls), keepAlive: true, keepAliveInitialDelay: 30_000, timeout: 10_000 },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 30_000,
  });
}

function bareDispatcher(tls: ServerTls, proxy: string | undefined): Dispatcher {
  return proxy === undefined || proxy === '' ? agentOf(tls) : new ProxyAgent({ uri: proxy, requestTls: present(tls) });
}

/** Undici tells an option that is missing from one that is undefined. */
function present({ ca, cert, key, servername, rejectUnauthorized }: TlsOptions) {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}

function markOf(parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part === undefined ? '' : String(part)}\0`);
  return hash.digest('base64');
}
