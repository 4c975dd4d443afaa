import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { callHandler } from '../../engine/backend/own-call.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { providerError, SignInFailed } from '../client/sign-in-failed.ts';

/** The gateway as a client that an issuer registered dynamically. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly secret: string | null;
  /** Milliseconds since 1970; null where the secret does not expire. */
  readonly expiresAt: number | null;
}

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json' };

/** Registers a client (RFC 7591). Rejects with SignInFailed, and when nobody answers. */
export async function registerClient(
  uri: string,
  metadata: JsonObject,
  handler: Next,
  parent: Exchange,
): Promise<RegisteredClient> {
  const content = JSON.stringify(metadata);
  const answer = await callHandler(handler, { method: 'POST', uri, headers: HEADERS, content }, { parent });
  const members = readJsonObject(answer.content);
  if (answer.status !== 200 && answer.status !== 201) {
    throw providerError('the registration endpoint', members?.['error'], members?.['error_description']);
  }
  const { client_id: clientId, client_secret: secret = null, client_secret_expires_at: seconds } = members ?? {};
  if (typeof clientId !== 'string' || clientId === '' || (secret !== null && typeof secret !== 'string')) {
    throw new SignInFailed('sign-in-failed', 'server_error', "the registration endpoint gave no 'client_id'");
  }
  const expiresAt = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null;
  return { clientId, secret, expiresAt };
}

/** Reads what was written as JSON; null for anything else. */
export function readClient(text: string): RegisteredClient | null {
  const value = JSON.parse(text) as JsonValue;
  if (!isJsonObject(value)) return null;
  const { clientId, secret, expiresAt } = value;
  const isSound = typeof clientId === 'string' && (secret === null || typeof secret === 'string');
  return isSound ? { clientId, secret, expiresAt: typeof expiresAt === 'number' ? expiresAt : null } : null;
}
