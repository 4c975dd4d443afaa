import type { Secret } from '../../../../contract/secret.ts';
import { isOwnMachine } from '../../../heap/clear-text-remark.ts';
import type { Remark } from '../../../heap/definition.ts';
import type { SecretsProvider } from '../../../heap/objects/secrets.ts';

/** Returns a password or a token: the one in the document, or the one that a provider has under an id. */
export async function secretText(
  written: string | undefined,
  id: string | undefined,
  provider: SecretsProvider | null,
): Promise<string> {
  if (written !== undefined) return written;
  if (id === undefined || provider === null) return '';
  const secret = await provider.active(id);
  return textOf(secret);
}

function textOf(secret: Secret): string {
  return new TextDecoder().decode(secret.reveal());
}

/** Warning for a secret that stands in the document. */
export function writtenSecretRemarks(field: readonly string[], written: string | undefined, instead: string): Remark[] {
  if (written === undefined) return [];
  const message = `is in the document, where everyone who reads it sees it: use '${instead}'`;
  return [{ at: field, code: 'insecure', message }];
}

/** Warning for a server that is reached without TLS. */
export function unencryptedRemarks(at: readonly string[], host: string, useSSL: boolean, what: string): Remark[] {
  if (useSSL || isOwnMachine(host)) return [];
  return [
    { at, code: 'insecure', message: `has no TLS: ${what} travel unencrypted, and anyone on the path can read them` },
  ];
}
