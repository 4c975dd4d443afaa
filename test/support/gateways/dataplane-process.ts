import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { gatewarden } from '../programs/run-program.ts';
import type { PlaneLine } from './gateway-process.ts';

/** `gatewarden dataplane` as a process of its own, on free ports of 127.0.0.1. */
export class DataplaneProcess {
  /** What it has said of itself so far. */
  readonly said: PlaneLine[] = [];
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown[]>;
  private readonly waiting: { readonly text: string; readonly resolve: (line: PlaneLine) => void }[] = [];

  private constructor(words: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(gatewarden, ['dataplane', ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.exited = once(this.child, 'close');
    createInterface(this.child.stderr!).on('line', (text) => this.heard(text));
  }

  /** Resolves when its admin port answers. @throws when it ends instead */
  static async start(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<DataplaneProcess> {
    const fixed = {
      '--host': '127.0.0.1',
      '--port': '0',
      '--admin': '127.0.0.1:0',
      '--units': '1',
      '--access-log': 'off',
    };
    const rest = Object.entries(fixed).filter(([name]) => !words.includes(name));
    const started = new DataplaneProcess([...rest.flat(), ...words], env);
    const ended = started.exited.then(() => Promise.reject(new Error(`it ended: ${JSON.stringify(started.said)}`)));
    await Promise.race([started.line('waiting for the configuration from a controller'), ended]);
    ended.catch(() => {});
    return started;
  }

  /** The next line whose message begins with this text, or the one that came already. */
  line(text: string): Promise<PlaneLine> {
    const found = this.said.find(({ msg }) => msg.startsWith(text));
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.waiting.push({ text, resolve }));
  }

  /** Where clients are accepted, once they are. */
  async port(): Promise<number> {
    const { addresses } = await this.line('listening');
    return Number(/:(\d+)$/.exec((addresses as string[])[0]!)?.[1]);
  }

  /** Asks the admin port. */
  async admin(path: string): Promise<{ status: number; text: string }> {
    const { admin } = await this.line('waiting for the configuration from a controller');
    const response = await fetch(`http://127.0.0.1:${(admin as { port: number }).port}${path}`);
    return { status: response.status, text: await response.text() };
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Stops it as an operator would. @returns its exit code, or the signal */
  async stop(): Promise<unknown> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    const [code, signal] = await this.exited;
    return code ?? signal;
  }

  private heard(text: string): void {
    const line = text.startsWith('{') ? (JSON.parse(text) as PlaneLine) : { level: 0, msg: text };
    this.said.push(line);
    for (const one of [...this.waiting]) {
      if (!line.msg.startsWith(one.text)) continue;
      this.waiting.splice(this.waiting.indexOf(one), 1);
      one.resolve(line);
    }
  }
}
