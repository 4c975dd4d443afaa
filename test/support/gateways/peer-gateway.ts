import { type CertificateAuthority, type Certified, certificateAuthority } from '../identity/certificates.ts';
import { GatewayProcess } from './gateway-process.ts';
import { type FolderContent, InstanceFolder } from './instance-folder.ts';

/** Where a route leads, and how. */
export interface PeerRoute {
  readonly to: string;
  /** The config of its ReverseProxyHandler beside `tls`. */
  readonly config?: object;
  readonly filters?: readonly object[];
}

export interface PeerGatewayOptions {
  /** By the first segment of the paths that they take. */
  readonly routes: Readonly<Record<string, PeerRoute>>;
  readonly words?: readonly string[];
  /** Further files of the instance, or others instead. */
  readonly files?: FolderContent;
  /** Further objects of config.json. */
  readonly heap?: readonly object[];
  readonly admin?: object;
  readonly units?: number;
}

/** Everybody that a test knows of is certified by one of these. */
export interface Certifiers {
  readonly gateway: CertificateAuthority;
  readonly backends: CertificateAuthority;
  readonly clients: CertificateAuthority;
  /** The gateway toward backends. */
  readonly self: Certified;
}

export function certifiers(): Certifiers {
  const clients = certificateAuthority('authority of clients');
  return {
    gateway: certificateAuthority('authority of the gateway'),
    backends: certificateAuthority('authority of backends'),
    clients,
    self: clients.issue({ commonName: 'the gateway', client: true }),
  };
}

/** `gatewarden run` with a connector in clear, one with TLS and one that wants certificates of clients. */
export class PeerGateway {
  readonly plain: number;
  readonly tls: number;
  readonly mutual: number;
  readonly process: GatewayProcess;
  readonly folder: InstanceFolder;

  private constructor(process: GatewayProcess, folder: InstanceFolder) {
    this.process = process;
    this.folder = folder;
    const ports = process.addresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1]));
    [this.plain, this.tls, this.mutual] = ports as [number, number, number];
  }

  static async start(who: Certifiers, options: PeerGatewayOptions): Promise<PeerGateway> {
    const folder = new InstanceFolder({
      'config/admin.json': {
        connectors: [{ port: 1 }, { port: 2, tls: 'keys' }, { port: 3, tls: 'mutual' }],
        streamingEnabled: true,
        heap: [STORE, serverTls('keys', {}), serverTls('mutual', MUTUAL)],
        ...options.admin,
      },
      'config/config.json': {
        heap: [STORE, BACKEND_TLS, ...(options.heap ?? [])],
        handler: { type: 'Router', config: {} },
      },
      'secrets/default.tls.pem': who.gateway.issue({ names: ['gateway.test', 'localhost', '127.0.0.1'] }).pem,
      'secrets/shop.tls.pem': who.gateway.issue({ names: ['shop.test'] }).pem,
      'secrets/wild.tls.pem': who.gateway.issue({ names: ['*.wild.test'], keyType: 'rsa' }).pem,
      'secrets/clients.pem': who.clients.certificate,
      'secrets/backends.pem': who.backends.certificate,
      'secrets/self.tls.pem': who.self.pem,
      // kept here for programs that read files; the gateway does not look at it
      'authority.pem': who.gateway.certificate,
      ...Object.fromEntries(
        Object.entries(options.routes).map(([name, route]) => [`config/routes/${name}.json`, routeTo(name, route)]),
      ),
      ...options.files,
    });
    const words = ['--port', '0,0,0', '--units', `${options.units ?? 1}`, ...(options.words ?? [])];
    try {
      return new PeerGateway(await GatewayProcess.run(folder.path, words), folder);
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  }

  /** How often the gateway refused for this reason so far. */
  async refusals(refusal: string): Promise<number> {
    const { text } = await this.process.admin('/metrics');
    return Number(new RegExp(`^gatewarden_refusals_total\\{refusal="${refusal}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  /** What it warned of but for the lists of revoked certificates, which these tests do not have. */
  warnings(): readonly string[] {
    const warned = this.process.said.filter(
      ({ level, msg }) => level >= 40 && !msg.startsWith('revocation is not checked'),
    );
    return warned.map((line) => JSON.stringify(line));
  }

  async stop(): Promise<void> {
    await this.process.stop();
    this.folder[Symbol.dispose]();
  }
}

/** The document of a route for everything under `/name/`. */
export function routeTo(name: string, { to, config = {}, filters = [] }: PeerRoute): object {
  return {
    condition: `\${find(request.uri.path, '^/${name}(/|$)')}`,
    baseURI: to,
    handler: {
      type: 'Chain',
      config: {
        filters,
        handler: { type: 'ReverseProxyHandler', config: { tls: 'backendTls', ...config } },
      },
    },
  };
}

const STORE = {
  name: 'store',
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
};

const trust = (verificationSecretId: string): object => ({
  type: 'SecretsTrustManager',
  config: { verificationSecretId, secretsProvider: 'store' },
});

const BACKEND_TLS = {
  name: 'backendTls',
  type: 'ClientTlsOptions',
  config: {
    trustManager: trust('backends'),
    keyManager: { type: 'SecretsKeyManager', config: { signingSecretId: 'self.tls', secretsProvider: 'store' } },
  },
};

const MUTUAL = { clientAuth: 'REQUIRED', trustManager: trust('clients') };

const serverTls = (name: string, more: object): object => ({
  name,
  type: 'ServerTlsOptions',
  config: {
    sni: {
      serverNames: { 'shop.test': 'shop.tls', '*.wild.test': 'wild.tls' },
      defaultSecretId: 'default.tls',
      secretsProvider: 'store',
    },
    ...more,
  },
});
