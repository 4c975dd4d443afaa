import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import type { Certified } from '../identity/certificates.ts';
import { programPath } from '../programs/debian-program.ts';
import { freePort } from '../programs/server-program.ts';

/** Where Debian keeps the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';
/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** A real PostgreSQL with a database of its own on a port of 127.0.0.1. */
export class PostgresServer {
  readonly port: number;
  readonly user = 'gateway';
  readonly password = 'pass-word-of-postgres';
  private readonly folder = mkdtempSync(join(tmpdir(), 'gatewarden-postgres-'));
  private child: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(certified: Certified): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort());
    server.initialise(certified);
    await server.begin();
    return server;
  }

  private initialise({ chain, key }: Certified): void {
    this.own(this.folder, 0o700);
    const secret = this.write('password', this.password);
    const data = join(this.folder, 'data');
    const words = ['-D', data, '-U', this.user, '--pwfile', secret, '--auth=scram-sha-256', '--no-sync', '-E', 'UTF8'];
    const { program, before } = asNobody('initdb');
    execFileSync(program, [...before, ...words, '--locale=C'], { stdio: 'pipe' });
    this.write('data/server.crt', chain);
    this.write('data/server.key', key);
  }

  /** Starts it again after `end`. */
  async begin(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `port=${this.port}`, 'fsync=off', 'ssl=on', 'max_connections=20'];
    const { program, before } = asNobody('postgres');
    const words = ['-D', join(this.folder, 'data'), '-k', this.folder, ...settings.flatMap((one) => ['-c', one])];
    const child = spawn(program, [...before, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    this.child = child;
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`postgres ended: ${said}`);
        await this.sql('SELECT 1');
      },
      { interval: 50 },
    );
  }

  /** Ends it as an operator would who cannot wait. */
  async end(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async sql(text: string): Promise<Record<string, unknown>[]> {
    const { port, user, password } = this;
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres', ssl: false });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  private write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    this.own(path, 0o600);
    return path;
  }

  private own(path: string, mode: number): void {
    chmodSync(path, mode);
    if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
  }
}

/** How a program of the newest installed version is run. */
function asNobody(name: string): { readonly program: string; readonly before: readonly string[] } {
  const newest = readdirSync(VERSIONS)
    .toSorted((a, b) => Number(a) - Number(b))
    .at(-1)!;
  const path = join(VERSIONS, newest, 'bin', name);
  if (process.getuid?.() !== 0) return { program: path, before: [] };
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return { program: programPath('setpriv'), before: [...ids, '--', path] };
}
