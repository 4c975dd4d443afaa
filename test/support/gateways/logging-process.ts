import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { gatewarden } from '../programs/run-program.ts';
import type { PlaneLine } from './gateway-process.ts';

/** A command of the program that runs until it is stopped, and what it says of itself on the standard error. */
export class LoggingProcess {
  readonly said: PlaneLine[] = [];
  stdout = '';
  private readonly child: ChildProcess;
  private readonly gone: Promise<unknown>;
  private readonly waiting = new Set<() => void>();

  /** @param command the program with its first words, by default the one that users start */
  constructor(
    words: readonly string[],
    env: NodeJS.ProcessEnv = {},
    [program, ...first]: readonly [string, ...string[]] = [gatewarden],
  ) {
    const child = spawn(program, [...first, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.child = child;
    this.gone = once(child, 'close').finally(() => this.tell());
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.tell();
    });
    createInterface(child.stderr).on('line', (line) => {
      this.said.push(line.startsWith('{') ? (JSON.parse(line) as PlaneLine) : { level: 0, msg: line });
      this.tell();
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The first line that is like this, among those after `after`; waits for it. @throws when the process ends instead. */
  async line(isIt: (line: PlaneLine) => boolean, after = 0): Promise<PlaneLine> {
    for (;;) {
      const found = this.said.slice(after).find(isIt);
      if (found !== undefined) return found;
      if (this.hasEnded) throw new Error(`it ended: ${JSON.stringify(this.said.slice(-20))} ${this.stdout}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends it, by default as an operator would. @returns its exit code, or the signal. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    if (!this.hasEnded) this.child.kill(signal);
    await this.gone;
    return this.child.exitCode ?? this.child.signalCode;
  }

  private tell(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const go of waiting) go();
  }
}
