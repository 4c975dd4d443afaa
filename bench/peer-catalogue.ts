import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuredPeers } from './configured-peers.ts';
import { identityPeers } from './identity-peers.ts';
import { bench, out, pinnedNode, repository } from './paths.ts';
import { justInTimeWarmup, type Peer, type Place } from './peer.ts';
import { protocolPeers } from './protocol-peers.ts';

/** A command that replaces the gateway, with {listen}, {backend} and {accessLog} in it; for trying out other engines. */
export function subjectOverride(): string | undefined {
  return process.env['GATEWARDEN_BENCH_SUBJECT'];
}

const compiled = { role: 'native', warmup: 0.5 } as const;
const justInTime = { role: 'node', warmup: justInTimeWarmup, needs: ['npm'] } as const;

function filled(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{\{?(\w+)\}\}?/g, (whole, key: string) => String(values[key] ?? whole));
}

function configFile(name: string, place: Place, more: Record<string, string> = {}): string {
  const file = join(place.folder, name);
  writeFileSync(file, filled(readFileSync(join(bench, 'peers', name), 'utf8'), { ...place, ...more }));
  return file;
}

function firstMatch(pattern: RegExp, command: string, args: readonly string[]): string {
  const text = execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', command, ...args], { encoding: 'utf8' });
  return pattern.exec(text)?.[1] ?? 'unknown';
}

function packageVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

const peerVersion = (name: string): string => packageVersion(join(bench, 'peers', 'node_modules', name));
const nodeVersion = (): string => firstMatch(/^v(\S+)/, pinnedNode(), ['--version']);

function nginx(place: Place, log: string, forwarded: string): string[] {
  const file = configFile('nginx.conf', place, { log, forwarded });
  return ['nginx', '-e', 'stderr', '-p', place.folder, '-c', file];
}

function nodeProgram(name: string, { listen, backend }: Place): string[] {
  return [pinnedNode(), join(bench, 'peers', `${name}.ts`), String(listen), String(backend)];
}

function gatewarden(place: Place): string[] {
  const override = subjectOverride();
  if (override !== undefined) return ['sh', '-c', `exec ${filled(override, { ...place })}`];
  const { listen, backend, accessLog } = place;
  return [
    join(repository, 'cli', 'gatewarden'),
    'proxy',
    ...['--listen', `127.0.0.1:${listen}`],
    ...['--to', `http://127.0.0.1:${backend}`],
    ...['--units', '1'],
    ...['--admin', 'off'],
    ...['--access-log', accessLog],
  ];
}

const nginxVersion = (): string => firstMatch(/nginx\/(\S+)/, 'nginx', ['-v']);

const nginxForwarded = `proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $host;`;

export const peers: readonly Peer[] = [
  {
    name: 'gatewarden',
    get title() {
      return subjectOverride() === undefined ? 'Gatewarden (access log, X-Forwarded-*)' : 'stand-in for Gatewarden';
    },
    role: 'subject',
    warmup: justInTimeWarmup,
    needs: [],
    version: () => (subjectOverride() ? 'unknown' : `${packageVersion(repository)} on Node.js ${nodeVersion()}`),
    command: gatewarden,
  },
  {
    name: 'nginx',
    title: 'nginx, plain',
    ...compiled,
    needs: ['nginx'],
    version: nginxVersion,
    command: (place) => nginx(place, 'access_log off;', ''),
  },
  {
    name: 'haproxy',
    title: 'HAProxy',
    ...compiled,
    needs: ['haproxy'],
    version: () => firstMatch(/version (\S+)/, 'haproxy', ['-v']),
    command: (place) => ['haproxy', '-db', '-f', configFile('haproxy.cfg', place)],
  },
  {
    name: 'relay',
    title: 'C relay (reads nothing: the kernel’s floor)',
    ...compiled,
    needs: [],
    version: () => 'bench/load/relay.c',
    command: ({ listen, backend }) => [join(out, 'relay'), String(listen), String(backend)],
  },
  {
    name: 'nginx-logged',
    title: 'nginx (access log, X-Forwarded-*)',
    ...compiled,
    role: 'info',
    needs: ['nginx'],
    version: nginxVersion,
    command: (place) => nginx(place, `access_log ${place.accessLog} combined buffer=64k;`, nginxForwarded),
  },
  {
    name: 'undici',
    title: 'node:http + undici',
    ...justInTime,
    version: () => `${peerVersion('undici')} on Node.js ${nodeVersion()}`,
    command: (place) => nodeProgram('node-http-undici', place),
  },
  {
    name: 'fast-proxy',
    title: 'fast-proxy',
    ...justInTime,
    version: () => `${peerVersion('fast-proxy')} on Node.js ${nodeVersion()}`,
    command: (place) => nodeProgram('fast-proxy', place),
  },
  {
    name: 'http-proxy',
    title: 'http-proxy',
    ...justInTime,
    version: () => `${peerVersion('http-proxy')} on Node.js ${nodeVersion()}`,
    command: (place) => nodeProgram('http-proxy', place),
  },
  ...configuredPeers,
  ...identityPeers,
  ...protocolPeers,
];
