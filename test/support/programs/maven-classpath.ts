import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DOWNLOAD, MAVEN_PLUGIN, mavenCache } from './maven-artifact.ts';

/** Jars that a Java program needs, with everything that they need themselves. */
export interface MavenClasspath {
  /** Name and version of its folder in the cache. */
  readonly name: string;
  /** Each as `group:name:version`. */
  readonly artifacts: readonly string[];
  /** How large it is, in megabytes, for people who wait for it. */
  readonly megabytes: number;
}

/** Downloads jars unless this machine has them. A process that comes during a download waits. @returns the class path */
export async function fetchClasspath({ name, artifacts, megabytes }: MavenClasspath): Promise<string> {
  const folder = join(mavenCache(), name);
  const jars = join(folder, 'jars');
  if (existsSync(jars)) return join(jars, '*');
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`downloading ${name}, ${megabytes} MB, once on this machine …\n`);
  writeFileSync(join(folder, 'pom.xml'), projectOf(artifacts));
  // moved into place at the end: a download that was cut short must not look complete
  const script = `
    test -e jars && exit 0
    rm -rf part && mvn -q -B ${MAVEN_PLUGIN}:copy-dependencies -DoutputDirectory=part && mv part jars`;
  const words = [join(folder, 'lock'), 'sh', '-c', script];
  await promisify(execFile)('flock', words, { cwd: folder, timeout: DOWNLOAD, maxBuffer: 1 << 26 });
  return join(jars, '*');
}

function projectOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project><modelVersion>4.0.0</modelVersion>
<groupId>jars</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join('\n')}</dependencies></project>
`;
}
