import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file that Maven Central has. */
export interface MavenArtifact {
  readonly group: string;
  readonly name: string;
  readonly version: string;
  /** The ending of its file, such as `zip`. */
  readonly packaging: string;
  /** How large it is, in megabytes, for people who wait for it. */
  readonly megabytes: number;
}

/** How long a download may take, in milliseconds. */
export const DOWNLOAD = 1_800_000;
export const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** The folder that holds everything fetched on this machine. */
export function mavenCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gatewarden');
}

/** The folder that holds everything fetched for one artifact; each version has its own. */
export function artifactFolder({ name, version }: MavenArtifact): string {
  return join(mavenCache(), `${name}-${version}`);
}

/** Downloads an artifact unless this machine has it. A process that comes during a download waits. @returns its path */
export async function fetchArtifact(artifact: MavenArtifact): Promise<string> {
  const { group, name, version, packaging, megabytes } = artifact;
  const folder = artifactFolder(artifact);
  const file = join(folder, `${name}-${version}.${packaging}`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`downloading ${name} ${version}, ${megabytes} MB, once on this machine …\n`);
  const coordinates = `${group}:${name}:${version}:${packaging}`;
  const part = join(folder, 'part');
  // moved into place at the end: a download that was cut short must not look complete
  const script = `
    test -e "$1" && exit 0
    mvn -q -B ${MAVEN_PLUGIN}:copy -Dartifact=${coordinates} -DoutputDirectory=${part} -Dmdep.overWriteReleases=true &&
    mv ${part}/${name}-${version}.${packaging} "$1"`;
  const words = [join(folder, 'lock'), 'sh', '-c', script, 'sh', file];
  await promisify(execFile)('flock', words, { cwd: folder, timeout: DOWNLOAD, maxBuffer: 1 << 26 });
  return file;
}
