import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CertificateAuthority, certificateAuthority } from '../../../support/identity/certificates.ts';
import { fetchClasspath, type MavenClasspath } from '../../../support/programs/maven-classpath.ts';
import { freePort } from '../../../support/programs/server-program.ts';

const SOURCES = fileURLToPath(new URL('./java', import.meta.url));
const MEMORY = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** A broker that tests run. */
export interface BrokerKind {
  readonly title: string;
  readonly jars: MavenClasspath;
  readonly source: 'classic' | 'artemis';
  /** Package of the JMS interfaces. */
  readonly jms: 'javax.jms' | 'jakarta.jms';
}

const classicJars = (version: string): MavenClasspath => ({
  name: `activemq-${version}`,
  artifacts: ['broker', 'kahadb-store', 'jaas', 'amqp'].map(
    (part) => `org.apache.activemq:activemq-${part}:${version}`,
  ),
  megabytes: 8,
});

/** The version of Debian 12, whose package brings 72 others along. */
export const ACTIVEMQ_5: BrokerKind = {
  title: 'ActiveMQ 5.17',
  jars: classicJars('5.17.2'),
  source: 'classic',
  jms: 'javax.jms',
};
export const ACTIVEMQ_6: BrokerKind = {
  title: 'ActiveMQ 6.1',
  jars: classicJars('6.1.7'),
  source: 'classic',
  jms: 'jakarta.jms',
};
export const ARTEMIS: BrokerKind = {
  title: 'Artemis 2.40',
  jars: {
    name: 'artemis-2.40.0',
    artifacts: ['server', 'jms-client', 'openwire-protocol', 'amqp-protocol'].map(
      (part) => `org.apache.activemq:artemis-${part}:2.40.0`,
    ),
    megabytes: 20,
  },
  source: 'artemis',
  jms: 'javax.jms',
};

/** Connectors of the broker. */
export type Connector = 'tcp' | 'ssl' | 'amqp' | 'amqps';

/** A message as a JMS consumer in Java has it. */
export interface JavaMessage {
  readonly kind: string;
  readonly mode: string;
  readonly priority: number;
  readonly isRedelivered: boolean;
  readonly type: string;
  readonly id: string;
  /** Names of its properties. */
  readonly properties: readonly string[];
  readonly text: string;
}

export interface ReaderWish {
  readonly kind?: 'topic' | 'durable' | 'queue';
  /** Whether it waits for `resume` before it takes messages. */
  readonly isLate?: boolean;
  /** Milliseconds for each message. */
  readonly pause?: number;
}

/** A JMS consumer in Java. */
export interface JavaReader {
  readonly messages: readonly JavaMessage[];
  /** Resolves when it has so many different messages, by their events. */
  has(count: number): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** A JMS consumer in Java that only counts. */
export interface JavaCounter {
  /** How many messages came, and of how many events. */
  tally(): Promise<{ readonly messages: number; readonly events: number }>;
  /** Goes; a durable subscription stays. */
  close(): Promise<void>;
}

/** A real broker and JMS consumers, in one Java process. It needs credentials. */
export class BrokerProgram {
  readonly user = 'gateway';
  readonly password = 'sends';
  readonly authority: CertificateAuthority = certificateAuthority('brokers');
  private readonly folder = mkdtempSync(join(tmpdir(), 'gatewarden-broker-'));
  private readonly ports = new Map<Connector, number>();
  private readonly kind: BrokerKind;
  private readonly answers = new Map<number, { resolve(): void; reject(error: Error): void }>();
  private readonly tallies = new Map<string, (words: readonly string[]) => void>();
  private readonly memory: readonly string[];
  private readonly readers = new Map<string, { messages: JavaMessage[]; wake: (() => void)[] }>();
  private child: ChildProcess | null = null;
  private classpath = '';
  private commands = 0;
  private said = '';

  private constructor(kind: BrokerKind, memory: readonly string[]) {
    this.kind = kind;
    this.memory = memory;
  }

  /** Starts one; the first on a machine is downloaded before. @param memory options of the Java program */
  static async start(kind: BrokerKind, memory: readonly string[] = MEMORY): Promise<BrokerProgram> {
    const program = new BrokerProgram(kind, memory);
    try {
      for (const name of ['tcp', 'ssl', 'amqp', 'amqps'] as const) program.ports.set(name, await freePort());
      const { pem } = program.authority.issue({ names: ['localhost', '127.0.0.1'] });
      writeFileSync(join(program.folder, 'broker.pem'), pem);
      program.classpath = await program.compile(await fetchClasspath(kind.jars));
      await program.launch();
    } catch (error) {
      await program.end();
      throw error;
    }
    return program;
  }

  port(connector: Connector): number {
    return this.ports.get(connector)!;
  }

  /** Opens the broker again after `shutDown`. */
  async open(password = this.password): Promise<void> {
    await this.ask(`start ${password}`);
  }

  /** Stops the broker as its operator would; consumers wait for it. */
  async shutDown(): Promise<void> {
    await this.ask('stop');
  }

  /** Ends the process with all consumers. Messages on disk stay. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  /** Starts the process again after `kill`. */
  async launch(): Promise<void> {
    const main = this.kind.source === 'classic' ? 'ClassicBroker' : 'ArtemisBroker';
    const ports = [...this.ports].map(([name, port]) => `${name}=${port}`).join(',');
    const words = [...this.memory, '-cp', this.classpath, main, this.folder, ports];
    const child = spawn('java', words, { stdio: ['pipe', 'pipe', 'pipe'], cwd: this.folder });
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.said = (this.said + text).slice(-20_000);
    });
    const ready = Promise.withResolvers<void>();
    child.once('error', ready.reject);
    child.once('close', () => {
      const error = new Error(`${this.kind.title} ended: ${this.said}`);
      ready.reject(error);
      for (const { reject } of this.answers.values()) reject(error);
      this.answers.clear();
    });
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') ready.resolve();
      else this.take(line.split(' '));
    });
    await ready.promise;
    await this.open();
  }

  /** Stops the process in the middle of whatever it does; connections stay open. */
  freeze(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }

  /** Opens a JMS consumer. A durable one that has the name of an earlier one goes on where that stopped. */
  async read(name: string, destination: string, wish: ReaderWish = {}): Promise<JavaReader> {
    const { kind = 'topic', isLate = false, pause = 0 } = wish;
    const own = { messages: [] as JavaMessage[], wake: [] as (() => void)[] };
    this.readers.set(name, own);
    await this.ask(`read ${name} ${kind} ${destination} ${isLate ? 'later' : 'now'} ${pause}`);
    return {
      messages: own.messages,
      has: async (count) => {
        while (new Set(own.messages.map(({ text }) => text)).size < count) {
          await new Promise<void>((resolve) => own.wake.push(resolve));
        }
      },
      resume: () => this.ask(`resume ${name}`),
      close: () => this.ask(`forget ${name}`),
    };
  }

  /** Opens a JMS consumer that counts. A durable one goes on where that of its name stopped; its counts begin anew. */
  async count(name: string, kind: 'topic' | 'durable', destination: string): Promise<JavaCounter> {
    await this.ask(`read ${name} ${kind} ${destination} count 0`);
    return {
      tally: async () => {
        const told = new Promise<readonly string[]>((resolve) => this.tallies.set(name, resolve));
        await this.ask(`tally ${name}`);
        const [messages, events] = (await told).map(Number);
        return { messages: messages!, events: events! };
      },
      close: () => this.ask(`forget ${name}`),
    };
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private async compile(jars: string): Promise<string> {
    const sources = join(this.folder, 'sources');
    const classes = join(this.folder, 'classes');
    mkdirSync(sources);
    const names = ['jms-broker.java', `${this.kind.source}-broker.java`];
    for (const name of names) {
      cpSync(join(SOURCES, name), join(sources, name));
      const text = readFileSync(join(sources, name), 'utf8');
      writeFileSync(join(sources, name), text.replaceAll('javax.jms', this.kind.jms));
    }
    await promisify(execFile)('javac', ['-cp', jars, '-d', classes, ...names], { cwd: sources });
    return `${classes}:${jars}`;
  }

  private ask(words: string): Promise<void> {
    const number = ++this.commands;
    return new Promise((resolve, reject) => {
      this.answers.set(number, { resolve, reject });
      this.child!.stdin!.write(`${number} ${words}\n`);
    });
  }

  private take(cells: readonly string[]): void {
    const [kind, name] = cells;
    if (kind === 'message') {
      const [, , type, mode, priority, redelivered, jmsType, id, properties, text] = cells;
      const own = this.readers.get(name!);
      own?.messages.push({
        kind: type!,
        mode: mode!,
        priority: Number(priority),
        isRedelivered: redelivered === 'true',
        type: decoded(jmsType!),
        id: decoded(id!),
        properties: decoded(properties!).split(',').filter(Boolean),
        text: decoded(text!),
      });
      for (const wake of own?.wake.splice(0) ?? []) wake();
      return;
    }
    if (kind === 'tally') {
      this.tallies.get(name!)?.(cells.slice(2));
      return;
    }
    const answer = this.answers.get(Number(name));
    this.answers.delete(Number(name));
    if (kind === 'done') answer?.resolve();
    else if (kind === 'failed') answer?.reject(new Error(`${decoded(cells[2]!)}\n${this.said}`));
  }
}

const decoded = (cell: string): string => Buffer.from(cell, 'base64').toString('utf8');
