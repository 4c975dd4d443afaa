import { readFileSync } from 'node:fs';

/** What `gatewarden --version` prints: enough to reproduce a report. */
export function versionLine(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return `gatewarden ${manifest.version} (Node.js ${process.versions.node}, ${process.platform} ${process.arch})`;
}
