import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

const PATIENCE = 240_000;

/** A shell that is typed into, as a person does who follows a page. */
export class Terminal {
  private readonly shell: ChildProcessWithoutNullStreams;
  private readonly marker = randomUUID();
  private readonly exited: Promise<unknown>;
  private output = '';
  /** Where in the output the next thing to be shown is looked for. */
  private seen = 0;
  private ends = 0;
  private readonly patience: number;

  /** @param patience how long something that it should show may take, in milliseconds */
  constructor(folder: string, env: NodeJS.ProcessEnv, patience = PATIENCE) {
    this.patience = patience;
    // In a process group of its own, so that Ctrl-C reaches what runs here and nothing else.
    this.shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, detached: true });
    this.shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text.replaceAll('\r', '')));
    this.exited = once(this.shell, 'close');
    this.shell.stdin.on('error', () => {}); // a shell that is gone shows in what it does not print
    this.shell.stdin.write('exec 2>&1\n');
  }

  /** Types a command and leaves it running. */
  type(command: string): void {
    // The status of the command stays what the next one sees in $?.
    const end = `status=$?; printf '\\n%s\\n' ${this.marker}; (exit $status)`;
    this.shell.stdin.write(`{ ${command}\n} < /dev/null\n${end}\n`);
    this.ends++;
  }

  /** Types a command and waits for its end. @returns what it printed. */
  async run(command: string): Promise<string> {
    const end = `\n${this.marker}\n`;
    const start = this.output.length;
    this.type(command);
    await this.until(() => this.output.indexOf(end, start) >= 0, `the end of '${command}'`);
    const at = this.output.indexOf(end, start);
    this.seen = at + end.length;
    return this.output.slice(start, at);
  }

  /** Waits for these lines to be shown in this order; others may be between them. */
  async shows(lines: readonly RegExp[]): Promise<void> {
    for (const line of lines) {
      let found: RegExpExecArray | null = null;
      await this.until(() => {
        found = new RegExp(line.source, 'gm').exec(this.output.slice(this.seen));
        return found !== null;
      }, String(line));
      const { index, 0: text } = found!;
      this.seen += index + text.length;
    }
  }

  /** Ctrl-C: ends what runs in the foreground, and waits for its end. */
  async interrupt(): Promise<void> {
    process.kill(-this.shell.pid!, 'SIGINT');
    await this.until(() => this.output.split(`${this.marker}\n`).length > this.ends || this.isGone, 'the end after ^C');
  }

  /** Ends everything that was started here. */
  async close(): Promise<void> {
    if (!this.isGone) process.kill(-this.shell.pid!, 'SIGKILL');
    await this.exited;
  }

  private get isGone(): boolean {
    return this.shell.exitCode !== null || this.shell.signalCode !== null;
  }

  private async until(condition: () => boolean, what: string): Promise<void> {
    const signal = AbortSignal.timeout(this.patience);
    try {
      while (!condition()) {
        if (this.isGone) throw new Error('the terminal is closed');
        await Promise.race([once(this.shell.stdout, 'data', { signal }), this.exited]);
      }
    } catch (error) {
      const shown = this.output.replaceAll(`\n${this.marker}\n`, '');
      throw new Error(`${what} did not come (${String(error)}); the terminal shows:\n${shown}`);
    }
  }
}
