import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Secret } from '../../../contract/secret.ts';

/** A directory with these files, which is gone after the test. */
export function secretFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

/** The text of a secret. */
export function revealed(secret: Secret): string {
  return Buffer.from(secret.reveal()).toString();
}
