import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFiles } from './certificate.ts';
import { gateway, instance, type Json } from './configured-peers.ts';
import { bench, pinnedNode } from './paths.ts';
import { justInTimeWarmup, type Peer, type Place } from './peer.ts';

/**
 * Proxies that are compared on one workload each: TLS, HTTP/2, WebSocket, events. nginx does what the gateway does: it
 * writes an access log and tells the backend about the client. HAProxy does neither.
 */
const compared = { role: 'compared', needs: ['h2load', 'nginx', 'openssl'] } as const;

const everything = (backend: number, config: Json): Record<string, Json> => ({
  all: { handler: { type: 'ReverseProxyHandler', config, baseURI: `http://127.0.0.1:${backend}` } },
});

function gatewarden(place: Place, tls: boolean, config: { readonly [key: string]: Json }): string[] {
  const directory = instance(place.folder, everything(place.backend, { connections: 1024, ...config }));
  const admin: Json = {
    connectors: [{ port: place.listen, ...(tls ? { tls: 'front' } : {}) }],
    streamingEnabled: true,
  };
  writeFileSync(
    join(directory, 'config', 'admin.json'),
    JSON.stringify(tls ? { ...admin, heap: serverTls(certificateFiles().folder) } : admin),
  );
  return gateway(place, directory);
}

function serverTls(directory: string): Json {
  const format = { type: 'PemPropertyFormat' };
  const store = {
    type: 'FileSystemSecretStore',
    config: { directory, format: 'PLAIN', mappings: [{ secretId: 'server', format }] },
  };
  const keys = { type: 'SecretsKeyManager', config: { signingSecretId: 'server', secretsProvider: store } };
  return [{ name: 'front', type: 'ServerTlsOptions', config: { keyManager: keys } }];
}

function ours(name: string, title: string, tls: boolean, config: { readonly [key: string]: Json } = {}): Peer {
  return {
    ...compared,
    name,
    title,
    warmup: justInTimeWarmup,
    version: () => 'gatewarden run',
    command: (place) => gatewarden(place, tls, config),
  };
}

function nginx(place: Place, listen: string, location: string): string[] {
  const { folder, backend } = place;
  const { key, certificate } = certificateFiles();
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  const paths = ['client_body', 'fastcgi', 'proxy', 'scgi', 'uwsgi'].map((name) => `${name}_temp_path ${folder}/tmp;`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 16384; }
http {
  access_log ${place.accessLog} combined buffer=64k;
  keepalive_timeout 10m;
  keepalive_requests 1000000000;
  http2_max_concurrent_streams 256;
  ${paths.join('\n  ')}
  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
  ssl_session_tickets on;
  upstream backend {
    server 127.0.0.1:${backend};
    keepalive 2048;
    keepalive_requests 1000000000;
    keepalive_timeout 10m;
  }
  server {
    listen 127.0.0.1:${place.listen} ${listen} backlog=4096;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $host;
      ${location}
    }
  }
}
`,
  );
  return ['nginx', '-e', 'stderr', '-p', folder, '-c', file];
}

const KEPT = 'proxy_set_header Connection "";';
const UPGRADED = 'proxy_set_header Connection "Upgrade"; proxy_set_header Upgrade $http_upgrade;';
const UNBUFFERED = `${KEPT} proxy_buffering off;`;

function nginxPeer(name: string, title: string, listen: string, location: string): Peer {
  return {
    ...compared,
    name,
    title,
    warmup: 0.5,
    version: () => 'nginx',
    command: (place) => nginx(place, listen, location),
  };
}

/** HAProxy with one thread and kept connections; `rules` stand in its frontend. */
export function haproxy(place: Place, bind: string, server: string, rules: readonly string[] = []): string[] {
  const file = join(place.folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn 10500
  no strict-limits
defaults
  mode http
  option http-keep-alive
  http-reuse always
  timeout connect 5s
  timeout client 10m
  timeout server 10m
  timeout http-request 10m
  timeout http-keep-alive 10m
frontend front
  bind 127.0.0.1:${place.listen} backlog 4096 ${bind}
${rules.map((rule) => `  ${rule}\n`).join('')}  default_backend back
backend back
  server backend 127.0.0.1:${place.backend} ${server}
`,
  );
  return ['haproxy', '-db', '-f', file];
}

function haproxyPeer(name: string, title: string, bind: () => string, server: string): Peer {
  return {
    ...compared,
    name,
    title,
    warmup: 0.5,
    needs: [...compared.needs, 'haproxy'],
    version: () => 'HAProxy',
    command: (place) => haproxy(place, bind(), server),
  };
}

const haproxyTls = (): string => `ssl crt ${certificateFiles().both} alpn h2,http/1.1`;

export const protocolPeers: readonly Peer[] = [
  ours('gatewarden-tls', 'Gatewarden, TLS from clients', true),
  nginxPeer('nginx-tls', 'nginx (access log, X-Forwarded-*), TLS from clients', 'ssl http2', KEPT),
  haproxyPeer('haproxy-tls', 'HAProxy (no log), TLS from clients', haproxyTls, ''),
  ours('gatewarden-h2-backend', 'Gatewarden, HTTP/2 to the backend', false, {
    connections: 1,
    protocolVersion: 'HTTP/2',
    http2PriorKnowledge: true,
  }),
  haproxyPeer('haproxy-h2-backend', 'HAProxy (no log), HTTP/2 to the backend', () => '', 'proto h2'),
  {
    ...compared,
    name: 'node-h2-backend',
    title: 'node:http + node:http2 to the backend',
    warmup: justInTimeWarmup,
    version: () => 'Node.js',
    command: ({ listen, backend }) => [pinnedNode(), join(bench, 'peers', 'node-http2.ts'), `${listen}`, `${backend}`],
  },
  ours('gatewarden-sockets', 'Gatewarden, WebSocket', false, { websocket: { enabled: true, soTimeout: '10 minutes' } }),
  nginxPeer('nginx-sockets', 'nginx, WebSocket', '', UPGRADED),
  ours('gatewarden-events', 'Gatewarden, events', false, { asyncBehavior: 'streaming' }),
  nginxPeer('nginx-events', 'nginx, events', '', UNBUFFERED),
  {
    ...compared,
    name: 'direct-events',
    title: 'a relay that reads nothing, events',
    warmup: 0.5,
    version: () => 'bench/load/relay.c',
    command: ({ listen, backend }) => [join(bench, 'out', 'relay'), String(listen), String(backend)],
  },
];
