import { mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Secret as a Pod sees it in a volume: files are links into `..data`, a link that is swapped when the Secret changes. */
export class MountedSecret {
  readonly path = mkdtempSync(join(tmpdir(), 'gatewarden-secret-'));
  private version = 0;

  constructor(content: Readonly<Record<string, string>>) {
    this.change(content);
    for (const name of Object.keys(content)) symlinkSync(join('..data', name), this.at(name));
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Puts all files of a new version in place at once, and removes the old one. */
  change(content: Readonly<Record<string, string>>): void {
    const before = this.version === 0 ? null : readlinkSync(this.at('..data'));
    const version = `..2026_${++this.version}`;
    mkdirSync(this.at(version));
    for (const [name, text] of Object.entries(content)) writeFileSync(join(this.at(version), name), text);
    symlinkSync(version, this.at('..data_tmp'));
    renameSync(this.at('..data_tmp'), this.at('..data'));
    if (before !== null) rmSync(this.at(before), { recursive: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
