import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { gatewarden } from '../programs/run-program.ts';

/** One line of what a plane says of itself on the standard error. */
export interface PlaneLine {
  readonly level: number;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** `gatewarden proxy` or `gatewarden run` as a process of its own, as a user starts it. */
export class GatewayProcess {
  /** The port of the first connector. */
  readonly port: number;
  /** Where clients are accepted, in the order of the connectors. */
  readonly addresses: readonly string[];
  readonly adminPort: number;
  /** What it has said of itself so far. */
  readonly said: PlaneLine[];
  private readonly child: ChildProcess;
  private readonly exited: Promise<[code: number | null, signal: string | null]>;
  private readonly output: { text: string };

  private constructor(child: ChildProcess, said: PlaneLine[], output: { text: string }) {
    this.child = child;
    this.said = said;
    this.output = output;
    this.exited = once(child, 'close') as Promise<[number | null, string | null]>;
    const listening = said.find(({ msg }) => msg === 'listening')!;
    this.addresses = listening['addresses'] as string[];
    this.port = Number(/:(\d+)$/.exec(this.addresses[0]!)?.[1]);
    this.adminPort = (listening['admin'] as { port: number } | undefined)?.port ?? 0;
  }

  /** Starts it on free ports of 127.0.0.1 unless the words say otherwise. @throws when it ends instead of listening. */
  static async start(to: string, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
    const defaults = { '--listen': '127.0.0.1:0', '--admin': '127.0.0.1:0', '--units': '1', '--access-log': 'off' };
    const rest = Object.entries(defaults).filter(([name]) => !words.includes(name));
    return GatewayProcess.launch(['proxy', '--to', to, ...rest.flat(), ...words], env);
  }

  /** Serves a directory on free ports of 127.0.0.1 unless the words say otherwise. @throws when it ends instead. */
  static run(directory: string, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
    const fixed = {
      '--host': '127.0.0.1',
      '--port': '0',
      '--admin': '127.0.0.1:0',
      '--units': '1',
      '--access-log': 'off',
    };
    const rest = Object.entries(fixed).filter(([name]) => !words.includes(name));
    return GatewayProcess.launch(['run', directory, ...rest.flat(), ...words], env);
  }

  private static async launch(words: readonly string[], env: NodeJS.ProcessEnv): Promise<GatewayProcess> {
    const child = spawn(gatewarden, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const output = { text: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.text += text));
    const said: PlaneLine[] = [];
    const lines = createInterface(child.stderr);
    await new Promise<void>((resolve, reject) => {
      const ended = (): void => reject(new Error(`it ended: ${JSON.stringify(said)}`));
      child.once('close', ended);
      lines.on('line', (line) => {
        said.push(line.startsWith('{') ? (JSON.parse(line) as PlaneLine) : { level: 0, msg: line });
        if (said.at(-1)!.msg !== 'listening') return;
        child.off('close', ended);
        resolve();
      });
    });
    return new GatewayProcess(child, said, output);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** All it has written to the standard output; complete once it has stopped. */
  get stdout(): string {
    return this.output.text;
  }

  /** Stops reading its standard output, as a log collector that died would. */
  closeStdout(): void {
    this.child.stdout!.destroy();
  }

  /** Stops reading its standard error, likewise. */
  closeStderr(): void {
    this.child.stderr!.destroy();
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.child.kill(name);
  }

  /** Resolves when the process is gone and has been read to the end. @returns its exit code, or the signal. */
  async ended(): Promise<number | string | null> {
    const [code, signal] = await this.exited;
    return code ?? signal;
  }

  /** Stops it as an operator would. */
  stop(): Promise<number | string | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    return this.ended();
  }

  /** Asks the admin port. */
  async admin(path: string, method = 'GET'): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.adminPort}${path}`, { method });
    return { status: response.status, text: await response.text() };
  }

  /** Reads one figure of /metrics, such as `gatewarden_requests_total{status="2xx"}`. */
  async figure(name: string): Promise<number> {
    const { text } = await this.admin('/metrics');
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    if (line === undefined) throw new Error(`no figure ${name}`);
    return Number(line.slice(name.length + 1));
  }
}
