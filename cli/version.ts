import { readFileSync } from 'node:fs';

/** The version of the program. */
export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/** Output of `gatewarden --version`: enough to reproduce a report. */
export function versionLine(): string {
  return `gatewarden ${programVersion()} (Node.js ${process.versions.node}, ${process.platform} ${process.arch})`;
}
