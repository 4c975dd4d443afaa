import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { artifactFolder, fetchArtifact, type MavenArtifact } from '../../support/programs/maven-artifact.ts';

const artifact: MavenArtifact = {
  group: 'org.keycloak',
  name: 'keycloak-quarkus-dist',
  version: '26.0.7',
  packaging: 'zip',
  megabytes: 147,
};
/** The administrator of a server that lives as long as one run, on loopback. */
const ADMINISTRATOR = { username: 'admin', password: 'admin' };
const MEMORY = '-Xms64m -Xmx640m -XX:+UseSerialGC';
/** How long unpacking and preparing it may take, in milliseconds: half a minute on a quiet machine. */
const PREPARATION = 1_200_000;

/** A real Keycloak on a free port of loopback, with everything in memory. */
export class Keycloak {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.child = child;
    this.folder = folder;
  }

  /** Starts one; the first on a machine is downloaded and prepared before. @throws when it ends instead. */
  static async start(): Promise<Keycloak> {
    const prepared = await prepare();
    // it writes into its own folders while it runs
    const folder = mkdtempSync(join(tmpdir(), 'gatewarden-keycloak-'));
    cpSync(prepared, folder, { recursive: true });
    process.stderr.write('starting Keycloak …\n');
    // without clustering, which would listen beyond loopback
    const words = ['start', '--optimized', '--cache=local', '--http-enabled=true', '--hostname-strict=false'];
    words.push('--http-host=127.0.0.1', '--http-port=0');
    const child = spawn(join(folder, 'bin/kc.sh'), words, {
      env: {
        ...process.env,
        JAVA_OPTS: MEMORY,
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMINISTRATOR.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMINISTRATOR.password,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface(output).on('line', (line) => {
          said.push(line);
          const address = /Listening on: (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
          if (address !== undefined) resolve(address);
        });
      }
      child.once('close', () => reject(new Error(`Keycloak ended:\n${said.join('\n')}`)));
    });
    process.stderr.write(`Keycloak listens on ${url}\n`);
    return new Keycloak(url, child, folder);
  }

  async stop(): Promise<void> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL'); // nothing of it is kept
    await closed;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A token that the administration of a Keycloak takes. It is valid for a minute. */
export async function administratorToken(url: string): Promise<string> {
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMINISTRATOR }),
  });
  if (!response.ok) throw new Error(`Keycloak refused its administrator: ${response.status} ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

/** Unpacks and builds it once per machine. @returns the folder that starts in seconds */
async function prepare(): Promise<string> {
  const zip = await fetchArtifact(artifact);
  const folder = artifactFolder(artifact);
  const prepared = join(folder, 'prepared');
  if (existsSync(prepared)) return prepared;
  process.stderr.write('preparing Keycloak, once on this machine …\n');
  const script = `
    test -e prepared && exit 0
    rm -rf unpacked && unzip -q -d unpacked "$1" && mv unpacked/keycloak-* unpacked/server &&
    unpacked/server/bin/kc.sh build --db=dev-mem &&
    mv unpacked/server prepared`;
  await promisify(execFile)('flock', [join(folder, 'lock'), 'sh', '-c', script, 'sh', zip], {
    cwd: folder,
    env: { ...process.env, JAVA_OPTS: MEMORY },
    timeout: PREPARATION,
    maxBuffer: 1 << 26,
  });
  return prepared;
}
