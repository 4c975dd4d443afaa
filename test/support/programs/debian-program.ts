import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Debian packages by the program that they bring. */
const PACKAGES = {
  chromium: ['chromium'],
  curl: ['curl'],
  gcc: ['gcc', 'libc6-dev'],
  h2load: ['nghttp2-client'],
  haproxy: ['haproxy'],
  java: ['default-jdk-headless'],
  javac: ['default-jdk-headless'],
  keytool: ['default-jdk-headless'],
  nghttp: ['nghttp2-client'],
  nginx: ['nginx-light'],
  openssl: ['openssl', 'libssl-dev'],
  pg_lsclusters: ['postgresql'],
  prometheus: ['prometheus'],
  promtool: ['prometheus'],
  rsyslogd: ['rsyslog', 'rsyslog-openssl'],
  setpriv: ['util-linux'],
  taskset: ['util-linux'],
  tinyproxy: ['tinyproxy-bin'],
} as const;

/** A program of others that tests or measurements run. */
export type DebianProgram = keyof typeof PACKAGES;

/** How long an installation may take, in milliseconds. */
export const INSTALLATION = 600_000;

export const isDebianProgram = (name: string): name is DebianProgram => name in PACKAGES;

/** The absolute path of a program, also where Debian puts servers, unknown to users' shells. @throws when it is missing. */
export function programPath(program: DebianProgram): string {
  const path = found(program);
  if (path === null) throw new Error(`there is no ${program}; it is in Debian's package ${PACKAGES[program][0]}`);
  return path;
}

/**
 * Brings in those programs that are missing. Who comes while another process installs waits for it and then looks again.
 * @throws when one is missing and cannot be installed from here; the message says which packages are wanted.
 */
export async function installPrograms(programs: readonly DebianProgram[]): Promise<void> {
  const missing = programs.filter((program) => found(program) === null);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.flatMap((program) => PACKAGES[program]))];
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0 || found('apt-get') === null) {
    throw new Error(`missing: ${missing.join(', ')}; on Debian, run as root: apt-get update && ${install}`);
  }
  process.stderr.write(`installing ${packages.join(', ')} …\n`);
  const lock = join(tmpdir(), 'gatewarden-packages.lock');
  const known = missing.map((program) => `command -v ${program}`).join(' && ');
  const path = [process.env['PATH'], ...SERVER_FOLDERS].join(delimiter);
  const env = { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive' };
  const words = [lock, 'sh', '-c', `(${known}) || (apt-get update -qq && ${install})`];
  await promisify(execFile)('flock', words, { env, timeout: INSTALLATION, maxBuffer: 1 << 26 });
  for (const program of missing) programPath(program);
}

const SERVER_FOLDERS = ['/usr/sbin', '/sbin'];

function found(program: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => join(folder, program)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
