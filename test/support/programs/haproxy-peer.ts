import { freePort, ServerProgram } from './server-program.ts';

/** HAProxy with a configuration in which `$name` stands for a port of its own, or for a file that is given. */
export class HaproxyPeer {
  private readonly program = new ServerProgram('haproxy');
  private readonly ports = new Map<string, number>();

  private constructor() {}

  /** Starts it with these sections; time-outs and the mode are set. */
  static async start(
    names: readonly string[],
    sections: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<HaproxyPeer> {
    const haproxy = new HaproxyPeer();
    const { program, ports } = haproxy;
    for (const name of names) ports.set(name, await freePort());
    const given = Object.entries(files).map(([name, text]) => [name, program.write(name, text)] as const);
    const values = new Map<string, number | string>([...ports, ...given]);
    const written = sections.replaceAll(/\$(\w+)/g, (word, name: string) => `${values.get(name) ?? word}`);
    const file = program.write('haproxy.cfg', `${DEFAULTS}${written}`);
    await program.start(['-db', '-f', file], [...ports.values()]);
    return haproxy;
  }

  port(name: string): number {
    return this.ports.get(name)!;
  }

  /** What it wrote so far. */
  get said(): string {
    return this.program.said;
  }

  stop(): Promise<void> {
    return this.program.stop('SIGKILL');
  }
}

const DEFAULTS = `
global
  maxconn 500
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
`;
