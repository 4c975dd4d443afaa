import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type DebianProgram, programPath } from './debian-program.ts';

/** A port of 127.0.0.1 on which nobody listens, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A server of others as a process, with a folder of its own for its files. */
export class ServerProgram {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatewarden-peer-'));
  /** What it wrote so far, on both of its outputs. */
  said = '';
  private readonly program: DebianProgram;
  private child: ChildProcess | null = null;

  constructor(program: DebianProgram) {
    this.program = program;
  }

  /** The absolute path of a file in the folder. */
  at(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.at(name), text);
    return this.at(name);
  }

  /** Starts it and waits until it accepts on these ports. @throws when it ends instead. */
  async start(words: readonly string[], ports: readonly number[]): Promise<void> {
    const child = spawn(programPath(this.program), words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => (this.said += text));
    }
    const check = async (): Promise<void> => {
      if (child.exitCode !== null) return;
      const open = await Promise.all(ports.map(accepts));
      if (open.includes(false)) throw new Error(`${this.program} does not listen: ${this.said}`);
    };
    await vi.waitFor(check, { timeout: 20_000, interval: 20 });
    if (child.exitCode !== null) throw new Error(`${this.program} ended: ${this.said}`);
  }

  get pid(): number {
    return this.child!.pid!;
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  /** Ends it and removes its folder. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.end(signal);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 }); // children may still write
  }

  /** Ends it; it can be started again. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'exit');
    child.kill(signal);
    await closed;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
