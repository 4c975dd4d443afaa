import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { LinkFiles } from './link-credentials.ts';

/**
 * Whom a snapshot on disk is sealed for, as far as a plane knows it while no controller is there: the ServiceAccount
 * that its token names, the subject of its certificate, or its own name.
 */
export async function snapshotIdentity({ token, certificate }: LinkFiles, name: string): Promise<string> {
  const subject = token === undefined ? null : subjectOf(await textOf(token));
  if (subject !== null) return `token ${subject}`;
  const own = certificate === undefined ? '' : await textOf(certificate);
  if (own !== '') return `certificate ${new X509Certificate(own).subject}`;
  return `name ${name}`;
}

/** Who a JWT is about. It is not verified: whoever could change it could read what is sealed as well. */
function subjectOf(token: string): string | null {
  const [, payload, signature] = token.trim().split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as JsonValue;
    const subject = isJsonObject(claims) ? claims['sub'] : undefined;
    return typeof subject === 'string' && subject !== '' ? subject : null;
  } catch {
    return null;
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
