import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { artifactFolder, fetchArtifact, type MavenArtifact } from '../../support/programs/maven-artifact.ts';
import { freePort } from '../../support/programs/server-program.ts';

const program: MavenArtifact = {
  group: 'org.openidentityplatform.openam',
  name: 'openam-server',
  version: '16.0.5',
  packaging: 'war',
  megabytes: 337,
};
const container: MavenArtifact = {
  group: 'org.apache.tomcat',
  name: 'tomcat',
  version: '10.1.34',
  packaging: 'tar.gz',
  megabytes: 14,
};
/** It starts once per run, so that quick compilation counts for more than quick code. */
const MEMORY = ['-Xmx1g', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const OPENED = ['java.lang', 'java.util', 'java.io'].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
const EXPORTED = [
  'java.base/sun.security.x509',
  'java.base/sun.security.tools.keytool',
  'java.base/sun.security.util',
  'java.xml/com.sun.org.apache.xerces.internal.dom',
  'java.management/sun.management',
].map((name) => `--add-exports=${name}=ALL-UNNAMED`);
/** How long unpacking and configuring it may take, in milliseconds: a minute on a quiet machine. */
const PREPARATION = 1_200_000;

/** A real OpenAM in Tomcat on free ports, configured and with the user `demo`. */
export class Openam {
  /** Without a slash at the end. */
  readonly url: string;
  readonly administrator: { readonly username: string; readonly password: string };
  private readonly child: ChildProcess;
  private readonly folder: string;

  private constructor(url: string, password: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.administrator = { username: 'amadmin', password };
    this.child = child;
    this.folder = folder;
  }

  /** Starts one; the first on a machine is downloaded and unpacked before. @throws when it ends instead. */
  static async start(): Promise<Openam> {
    const { home, application } = await prepare();
    const folder = mkdtempSync(join(tmpdir(), 'gatewarden-openam-'));
    for (const name of ['logs', 'temp', 'work', 'webapps', 'data']) mkdirSync(join(folder, name));
    cpSync(join(home, 'conf'), join(folder, 'conf'), { recursive: true });
    const port = await freePort();
    writeFileSync(join(folder, 'conf/server.xml'), serverXml(port, application));
    process.stderr.write('starting OpenAM …\n');
    const child = spawn('java', javaWords(home, folder), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const url = `http://127.0.0.1:${port}/openam`;
    const password = randomUUID();
    const openam = new Openam(url, password, child, folder);
    try {
      await started(child);
      process.stderr.write('configuring OpenAM …\n');
      await configure(url, password, join(folder, 'data/openam'));
    } catch (error) {
      await openam.stop();
      throw error;
    }
    process.stderr.write(`OpenAM listens on ${url}\n`);
    return openam;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const closed = once(this.child, 'close');
      this.child.kill('SIGKILL'); // nothing of it is kept
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function javaWords(home: string, folder: string): string[] {
  const data = join(folder, 'data');
  return [
    ...MEMORY,
    ...OPENED,
    ...EXPORTED,
    `-Duser.home=${data}`,
    `-Dcom.sun.identity.configuration.directory=${data}`,
    `-Dcatalina.home=${home}`,
    `-Dcatalina.base=${folder}`,
    `-Djava.io.tmpdir=${join(folder, 'temp')}`,
    '-cp',
    `${join(home, 'bin/bootstrap.jar')}:${join(home, 'bin/tomcat-juli.jar')}`,
    'org.apache.catalina.startup.Bootstrap',
    'start',
  ];
}

function serverXml(port: number, application: string): string {
  return `<Server port="-1"><Service name="Catalina">
  <Connector port="${port}" address="127.0.0.1" protocol="HTTP/1.1" URIEncoding="UTF-8"/>
  <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps" autoDeploy="false">
    <Context path="/openam" docBase="${application}"/>
  </Host></Engine>
</Service></Server>
`;
}

/** Resolves when Tomcat has started its applications. */
function started(child: ChildProcess): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    for (const output of [child.stdout!, child.stderr!]) {
      createInterface(output).on('line', (line) => {
        if (lines.length < 1000) lines.push(line);
        if (line.includes('Server startup in')) resolve();
      });
    }
    child.once('close', () => reject(new Error(`OpenAM ended:\n${lines.join('\n')}`)));
    child.once('error', reject);
  });
}

/** Sends the form that installs it, as its own installer does. */
async function configure(url: string, password: string, folder: string): Promise<void> {
  const [port, adminPort, jmxPort] = [await freePort(), await freePort(), await freePort()];
  const agentPassword = randomUUID();
  const form = new URLSearchParams({
    SERVER_URL: new URL(url).origin,
    DEPLOYMENT_URI: '/openam',
    BASE_DIR: folder,
    locale: 'en_US',
    PLATFORM_LOCALE: 'en_US',
    AM_ENC_KEY: randomUUID(),
    ADMIN_PWD: password,
    ADMIN_CONFIRM_PWD: password,
    AMLDAPUSERPASSWD: agentPassword,
    AMLDAPUSERPASSWD_CONFIRM: agentPassword,
    COOKIE_DOMAIN: '',
    ACCEPT_LICENSES: 'true',
    acceptLicense: 'true',
    DATA_STORE: 'embedded',
    DIRECTORY_SSL: 'SIMPLE',
    DIRECTORY_SERVER: '127.0.0.1',
    DIRECTORY_PORT: String(port),
    DIRECTORY_ADMIN_PORT: String(adminPort),
    DIRECTORY_JMX_PORT: String(jmxPort),
    ROOT_SUFFIX: 'dc=openam,dc=example,dc=org',
    DS_DIRMGRDN: 'cn=Directory Manager',
    DS_DIRMGRPASSWD: randomUUID(),
  });
  const response = await fetch(`${url}/config/configurator`, {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(PREPARATION),
  });
  const text = await response.text();
  if (!text.includes('Configuration complete!')) throw new Error(`OpenAM was not configured: ${text.slice(-2000)}`);
}

interface Prepared {
  /** Folder of Tomcat. */
  readonly home: string;
  /** Folder of the web application. */
  readonly application: string;
}

/** Unpacks both once per machine; nothing writes into the folders afterwards. */
async function prepare(): Promise<Prepared> {
  const archive = await fetchArtifact(container);
  const war = await fetchArtifact(program);
  const folder = artifactFolder(program);
  const prepared = join(folder, 'prepared');
  const places = { home: join(prepared, 'tomcat'), application: join(prepared, 'openam') };
  if (existsSync(prepared)) return places;
  process.stderr.write('unpacking OpenAM, once on this machine …\n');
  const script = `
    test -e prepared && exit 0
    rm -rf unpacked && mkdir -p unpacked/tomcat && tar -xzf "$1" -C unpacked/tomcat --strip-components=1 &&
    unzip -q -d unpacked/openam "$2" && mv unpacked prepared`;
  await promisify(execFile)('flock', [join(folder, 'lock'), 'sh', '-c', script, 'sh', archive, war], {
    cwd: folder,
    timeout: PREPARATION,
    maxBuffer: 1 << 26,
  });
  return places;
}
