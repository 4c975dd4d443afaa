import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files by their path in the folder: texts and bytes as they are, anything else as JSON. */
export type FolderContent = Readonly<Record<string, unknown>>;

/** A folder of its own for the files of an instance. */
export class InstanceFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'gatewarden-instance-'));

  constructor(content: FolderContent = {}) {
    for (const [name, value] of Object.entries(content)) this.write(name, value);
  }

  /** The absolute path of a file in it. */
  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, value: unknown): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    const isReady = typeof value === 'string' || value instanceof Uint8Array;
    writeFileSync(this.at(name), isReady ? value : JSON.stringify(value, null, 2));
  }

  /** Writes a file beside the one it takes the place of, as editors and deployments do. */
  replace(name: string, value: unknown): void {
    this.write(`${name}.new`, value);
    renameSync(this.at(`${name}.new`), this.at(name));
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true });
  }

  /** Removes all of it. */
  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
