import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory for audit files, which is removed when the test ends. */
export class AuditFolder {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'gatewarden-audit-'));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  /** Path of a file in it. */
  of(name: string): string {
    return join(this.path, name);
  }

  get names(): string[] {
    return readdirSync(this.path).sort();
  }

  /** Lines of a file without their ends; the last one is empty where the file ends with a line feed. */
  lines(name: string): string[] {
    return readFileSync(this.of(name), 'utf8').split('\n');
  }
}
