import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { errorText } from '../../../platform/error-text.ts';
import { freePort } from '../programs/server-program.ts';
import { toolOutput } from '../programs/tool-output.ts';
import { type ClusterPrograms, clusterPrograms } from './cluster-programs.ts';

/** How to reach an API server as somebody who may do everything. */
export interface ClusterAccess {
  readonly server: string;
  readonly caFile: string;
  /** Path of a kubeconfig. */
  readonly kubeconfig: string;
  /** Path of the program. */
  readonly kubectl: string;
}

/** How long a server may take to be ready, in milliseconds. */
const PATIENCE = 300_000;

/** A real etcd and a real API server with RBAC, in a folder of their own. Nothing schedules or runs Pods. */
export class ApiServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatewarden-cluster-'));
  private readonly programs: ClusterPrograms;
  private readonly ports: { readonly etcd: number; readonly peer: number; readonly server: number };
  private readonly token = randomBytes(16).toString('hex');
  private etcd: ChildProcess | null = null;
  private apiServer: ChildProcess | null = null;
  private said = '';

  private readonly words: readonly string[];

  private constructor(programs: ClusterPrograms, ports: ApiServer['ports'], words: readonly string[]) {
    this.programs = programs;
    this.ports = ports;
    this.words = words;
  }

  /** @param words further options of the API server */
  static async start(words: readonly string[] = []): Promise<ApiServer> {
    for (let attempts = 3; ; attempts--) {
      const ports = { etcd: await freePort(), peer: await freePort(), server: await freePort() };
      const server = new ApiServer(await clusterPrograms(), ports, words);
      server.writeFiles();
      try {
        await server.startEtcd();
        await server.startApiServer();
        return server;
      } catch (error) {
        await server.stop();
        // between the choice of a port and its use, another process may have taken it
        if (attempts === 1 || !errorText(error).includes('address already in use')) throw error;
      }
    }
  }

  get access(): ClusterAccess {
    return {
      server: `https://127.0.0.1:${this.ports.server}`,
      caFile: this.at('apiserver.crt'),
      kubeconfig: this.at('kubeconfig'),
      kubectl: this.programs.kubectl,
    };
  }

  async startApiServer(): Promise<void> {
    this.apiServer = this.run(this.programs.apiServer, [
      `--etcd-servers=http://127.0.0.1:${this.ports.etcd}`,
      `--cert-dir=${this.folder}`,
      `--secure-port=${this.ports.server}`,
      '--bind-address=127.0.0.1',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      '--authorization-mode=RBAC',
      `--token-auth-file=${this.at('tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${this.at('accounts.pub')}`,
      `--service-account-signing-key-file=${this.at('accounts.key')}`,
      '--api-audiences=https://kubernetes.default.svc',
      '--allow-privileged=true',
      '--profiling=false',
      ...this.words,
    ]);
    const headers = { authorization: `Bearer ${this.token}` };
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    await this.until(this.apiServer, async () => {
      const answer = await fetch(`${this.access.server}/readyz`, { headers, dispatcher: agent });
      return answer.status === 200;
    });
    await agent.close();
  }

  async stopApiServer(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await end(this.apiServer, signal);
    this.apiServer = null;
  }

  /** Lets the API server stand still, so that it neither answers nor closes anything, and go on. */
  freeze(): void {
    this.apiServer?.kill('SIGSTOP');
  }

  thaw(): void {
    this.apiServer?.kill('SIGCONT');
  }

  /** Makes etcd forget everything before now, so that watches that lag behind are told so. */
  async compact(): Promise<void> {
    const call = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const url = `http://127.0.0.1:${this.ports.etcd}/v3/${path}`;
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`etcd answers ${answer.status}: ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const { header } = (await call('kv/range', { key: 'AA==' })) as { header: { revision: string } };
    await call('kv/compaction', { revision: header.revision, physical: true });
  }

  async stop(): Promise<void> {
    await this.stopApiServer();
    await end(this.etcd, 'SIGKILL');
    this.etcd = null;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startEtcd(): Promise<void> {
    const own = `http://127.0.0.1:${this.ports.etcd}`;
    const peer = `http://127.0.0.1:${this.ports.peer}`;
    this.etcd = this.run(this.programs.etcd, [
      `--data-dir=${this.at('etcd')}`,
      `--listen-client-urls=${own}`,
      `--advertise-client-urls=${own}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);
    await this.until(this.etcd, async () => (await fetch(`${own}/health`)).ok);
  }

  private run(program: string, words: readonly string[]): ChildProcess {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        this.said = (this.said + text).slice(-20_000);
      });
    }
    return child;
  }

  private async until(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
    const last = performance.now() + PATIENCE;
    for (;;) {
      if (await isReady().catch(() => false)) return;
      const isGone = child.exitCode !== null || child.signalCode !== null;
      if (isGone || performance.now() > last) throw new Error(`the API server does not start: ${this.said}`);
      await pause(50);
    }
  }

  private writeFiles(): void {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(this.at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(this.at('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(this.at('tokens.csv'), `${this.token},admin,admin,"system:masters"\n`);
    writeFileSync(this.at('kubeconfig'), kubeconfigText(this.access, this.token));
  }

  private at(name: string): string {
    return join(this.folder, name);
  }
}

/** A kubeconfig with a token. */
export function kubeconfigText({ server, caFile }: Pick<ClusterAccess, 'server' | 'caFile'>, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

/** The token in a kubeconfig that `kubeconfigText` wrote. */
export function kubeconfigToken(path: string): string {
  const { users } = JSON.parse(readFileSync(path, 'utf8')) as { users: [{ user: { token: string } }] };
  return users[0].user.token;
}

/** Runs kubectl. @returns what it printed. @throws with what it said on its other output. */
export function runKubectl(access: ClusterAccess, words: readonly string[], input = ''): Promise<string> {
  return toolOutput(access.kubectl, words, { input, hidden: ['--kubeconfig', access.kubeconfig] });
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await gone;
}
