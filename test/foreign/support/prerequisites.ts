import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const OLDEST_JAVA = 17;

/** Everything that keeps large foreign servers from running here, each as a sentence. */
export async function missingPrerequisites(): Promise<readonly string[]> {
  const missing: string[] = [];
  const java = await output('java', ['-version']);
  const version = Number(/version "(\d+)/.exec(java ?? '')?.[1] ?? 0);
  if (java === null) missing.push(`They need Java ${OLDEST_JAVA} (Debian's package openjdk-17-jdk-headless).`);
  else if (version < OLDEST_JAVA) missing.push(`They need Java ${OLDEST_JAVA} or newer; this is ${version}.`);
  if ((await output('javac', ['-version'])) === null)
    missing.push('They need the compiler of Java (the same package).');
  if ((await output('mvn', ['--version'])) === null) missing.push("They need Maven (Debian's package maven).");
  if ((await output('unzip', ['-v'])) === null) missing.push("They need unzip (Debian's package unzip).");
  if ((await output('flock', ['--version'])) === null) missing.push("They need flock (Debian's package util-linux).");
  return missing;
}

/** What a program prints, on both outputs; null when it is missing. */
async function output(program: string, words: readonly string[]): Promise<string | null> {
  return promisify(execFile)(program, words).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => null,
  );
}
