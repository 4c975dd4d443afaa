import { readFileSync } from 'node:fs';
import type { Certified } from '../identity/certificates.ts';
import { freePort, ServerProgram } from './server-program.ts';

/** How an nginx serves: three ports with the same locations. */
export interface NginxWish {
  readonly certified: Pick<Certified, 'chain' | 'key'>;
  /** The inside of the server blocks; `$PLAIN`, `$H2C` and `$TLS` stand for the ports. */
  readonly locations: string;
  /** The inside of the http block beside them. */
  readonly more?: string;
  /** Authorities that clients of the port with TLS have to be certified by. */
  readonly clients?: string;
}

/** nginx on ports of its own: HTTP/1.1, HTTP/2 without TLS, and TLS with both by ALPN. */
export class NginxPeer {
  readonly plain: number;
  readonly h2c: number;
  readonly tls: number;
  private readonly program = new ServerProgram('nginx');

  private constructor(ports: readonly [number, number, number]) {
    [this.plain, this.h2c, this.tls] = ports;
  }

  static async start(wish: NginxWish): Promise<NginxPeer> {
    const nginx = new NginxPeer([await freePort(), await freePort(), await freePort()]);
    nginx.configure(wish);
    await nginx.begin();
    return nginx;
  }

  /** Writes its files; they count after `reload`. */
  configure({ certified, locations, more = '', clients }: NginxWish): void {
    const { program } = this;
    this.certify(certified);
    const inside = locations
      .replaceAll('$PLAIN', `${this.plain}`)
      .replaceAll('$H2C', `${this.h2c}`)
      .replaceAll('$TLS', `${this.tls}`)
      .replaceAll('$FOLDER', program.folder);
    const verify =
      clients === undefined
        ? ''
        : `ssl_client_certificate ${program.write('clients.pem', clients)}; ssl_verify_client on;`;
    const paths = ['client_body', 'fastcgi', 'proxy', 'scgi', 'uwsgi'];
    program.write(
      'nginx.conf',
      `daemon off;
user root;
worker_processes 1;
pid ${program.folder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_max_body_size 0;
  ${paths.map((name) => `${name}_temp_path ${program.folder}/${name};`).join(' ')}
  ${more}
  server { listen 127.0.0.1:${this.plain}; ${inside} }
  server { listen 127.0.0.1:${this.h2c} http2; ${inside} }
  server {
    listen 127.0.0.1:${this.tls} ssl http2;
    ssl_certificate ${program.folder}/server.pem;
    ssl_certificate_key ${program.folder}/server.key;
    ${verify}
    ${inside}
  }
}
`,
    );
  }

  /** Gives it another key and certificate; they count after `reload`. */
  certify({ chain, key }: Pick<Certified, 'chain' | 'key'>): void {
    this.program.write('server.pem', chain);
    this.program.write('server.key', key);
  }

  /** Writes a file that locations name as `$FOLDER/name`. */
  write(name: string, text: string): void {
    this.program.write(name, text);
  }

  /** New workers take over with what the files say; old ones finish what they have begun. */
  reload(): void {
    this.program.signal('SIGHUP');
  }

  /** The processes that serve now, also old ones that finish what they have begun. */
  workers(): readonly number[] {
    const { pid } = this.program;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  }

  /** Kills the processes that serve, without a word to anybody; others take their place. */
  killWorkers(): void {
    for (const worker of this.workers()) process.kill(worker, 'SIGKILL');
  }

  /** What it complained of. */
  get said(): string {
    return this.program.said;
  }

  begin(): Promise<void> {
    return this.program.start(
      ['-e', 'stderr', '-p', this.program.folder, '-c', this.program.at('nginx.conf')],
      [this.plain, this.h2c, this.tls],
    );
  }

  end(): Promise<void> {
    return this.program.end();
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
