import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { outFolder } from '../paths.ts';
import { accepts, freePort } from '../peer.ts';

/** An application that answers every request with the same kibibyte, by HTTP/1.1 or by HTTP/2 without TLS. */
export class NginxBackend {
  private child: ChildProcess | null = null;
  private folder = '';

  async start(http2: boolean): Promise<number> {
    const port = await freePort();
    this.folder = mkdtempSync(join(outFolder('run'), 'backend-'));
    mkdirSync(join(this.folder, 'tmp'));
    const file = join(this.folder, 'nginx.conf');
    writeFileSync(file, configuration(this.folder, port, http2));
    this.child = spawn('nginx', ['-e', 'stderr', '-p', this.folder, '-c', file], { stdio: ['ignore', 'ignore', 2] });
    for (let tries = 0; tries < 500 && !(await accepts(port)); tries++) await sleep(10);
    return port;
  }

  stop(): void {
    this.child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configuration(folder: string, port: number, http2: boolean): string {
  const paths = ['client_body', 'fastcgi', 'proxy', 'scgi', 'uwsgi'].map((name) => `${name}_temp_path ${folder}/tmp;`);
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 10m;
  http2_max_concurrent_streams 1024;
  ${paths.join('\n  ')}
  server {
    listen 127.0.0.1:${port}${http2 ? ' http2' : ''} backlog=4096;
    location / {
      default_type application/json;
      return 200 "${'a'.repeat(1024)}";
    }
  }
}
`;
}
