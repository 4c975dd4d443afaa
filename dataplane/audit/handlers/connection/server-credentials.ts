import type { Secret } from '../../../../contract/secret.ts';
import type { Reference } from '../../../../contract/vocabulary/reference.ts';
import { isOwnMachine } from '../../../heap/clear-text-remark.ts';
import type { Parts, Remark } from '../../../heap/definition.ts';
import type { SecretsProvider } from '../../../heap/objects/secrets.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import { platformTls } from '../../../tls/portable-tls.ts';

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

/** Returns the TLS settings of a server: those of the document, or strict ones; null where it has no TLS. */
export async function serverTls(
  useTls: boolean,
  tls: Reference<'tlsOptions'> | undefined,
  resolve: Parts['resolve'],
): Promise<PortableTls | null> {
  if (!useTls) return null;
  return tls === undefined ? platformTls() : resolve(tls).portable();
}

/** Place of a server, and the field that decides about TLS. */
export interface ServerPlace {
  readonly host: string;
  readonly useTls: boolean;
  readonly at: readonly string[];
  readonly whyNoTls: string;
}

/** A secret for a server, which is in the document or has an id. */
export interface ServerSecret {
  /** Field of a secret in the document; the field of an id is called the same, with `SecretId`. */
  readonly at: readonly string[];
  readonly written: string | undefined;
  readonly id: string | undefined;
}

/** Reason why a server is reached without TLS. */
export const NO_SSL = "'connection.useSSL' is not true";

/** Warnings for fields without effect, for a server without TLS, and for a secret that stands in the document. */
export function serverRemarks(
  config: { readonly tls?: unknown; readonly secretsProvider?: unknown },
  { host, useTls, at, whyNoTls }: ServerPlace,
  secret: ServerSecret,
  what: string,
): Remark[] {
  const remarks: Remark[] = [];
  if (config.tls !== undefined && !useTls) {
    remarks.push({ at: ['tls'], code: 'no-effect', message: `has no effect: ${whyNoTls}` });
  }
  if (config.secretsProvider !== undefined && secret.id === undefined) {
    remarks.push({ at: ['secretsProvider'], code: 'no-effect', message: 'has no effect without a secret id' });
  }
  if (!useTls && !isOwnMachine(host)) {
    const message = `has no TLS: ${what} travel unencrypted, and anyone on the path can read them`;
    remarks.push({ at, code: 'insecure', message });
  }
  if (secret.written !== undefined) {
    const message = `is in the document, where everyone who reads it sees it: use '${secret.at.at(-1)}SecretId'`;
    remarks.push({ at: secret.at, code: 'insecure', message });
  }
  return remarks;
}
