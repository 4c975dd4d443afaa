import { existsSync, readFileSync } from 'node:fs';
import type { Certified } from '../identity/certificates.ts';
import { freePort, ServerProgram } from '../programs/server-program.ts';

/** A message as rsyslog read it. */
export interface RsyslogMessage {
  readonly pri: string;
  readonly timestamp: string;
  readonly hostname: string;
  readonly appName: string;
  readonly procId: string;
  readonly msgId: string;
  readonly structuredData: string;
  readonly msg: string;
}

const FIELDS = {
  pri: 'pri',
  timestamp: 'timereported" dateFormat="rfc3339',
  hostname: 'hostname',
  appName: 'app-name',
  procId: 'procid',
  msgId: 'msgid',
  structuredData: 'structured-data',
  msg: 'msg',
};

/** A real rsyslogd that reads messages over UDP, TCP and TLS, and writes the fields of each as a line of JSON. */
export class RsyslogServer {
  readonly udp: number;
  readonly tcp: number;
  readonly tls: number;
  private readonly program: ServerProgram;

  private constructor(program: ServerProgram, ports: readonly [number, number, number]) {
    this.program = program;
    [this.udp, this.tcp, this.tls] = ports;
  }

  static async start(certified: Certified, ca: string): Promise<RsyslogServer> {
    const program = new ServerProgram('rsyslogd');
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const files = {
      ca: program.write('ca.pem', ca),
      cert: program.write('cert.pem', certified.chain),
      key: program.write('key.pem', certified.key),
    };
    const properties = Object.entries(FIELDS).map(
      ([name, property]) => `property(outname="${name}" name="${property}" format="jsonf")`,
    );
    const template = `template(name="fields" type="list") { constant(value="{") ${properties.join(' constant(value=",") ')} constant(value="}\\n") }`;
    const output = `action(type="omfile" file="${program.at('messages')}" template="fields")`;
    const configuration = `
      global(workDirectory="${program.folder}" maxMessageSize="128k" defaultNetstreamDriverCAFile="${files.ca}"
             defaultNetstreamDriverCertFile="${files.cert}" defaultNetstreamDriverKeyFile="${files.key}"
             parser.escapeControlCharactersOnReceive="off")
      module(load="imudp")
      module(load="imptcp")
      module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
      ${template}
      ruleset(name="all") { ${output} }
      input(type="imudp" address="127.0.0.1" port="${ports[0]}" ruleset="all")
      input(type="imptcp" address="127.0.0.1" port="${ports[1]}" ruleset="all")
      input(type="imtcp" address="127.0.0.1" port="${ports[2]}" ruleset="all")
    `;
    const words = ['-n', '-i', program.at('pid'), '-f', program.write('rsyslog.conf', configuration)];
    const server = new RsyslogServer(program, ports);
    await program.start(words, [ports[1], ports[2]]);
    return server;
  }

  /** Messages so far, in the order of arrival. */
  get messages(): RsyslogMessage[] {
    const path = this.program.at('messages');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as RsyslogMessage);
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }
}
