import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { isObject, readJsonObject } from '../../jose/strict-json.ts';
import { ADDRESS_REMEDY } from '../service/address-remedy.ts';
import { KnownSession } from './known-session.ts';

/** Names of the unique id of a session in answers and among session properties. */
const UID_NAMES = ['sessionUid', 'sessionuid', 'AMCtxId'];

/** The access manager gave no answer about a session that can be used. The message holds no token. */
export class SessionUnchecked extends Error {
  constructor(reason: string) {
    super(`the access manager did not say whether the session is valid: ${reason}`);
    this.name = 'SessionUnchecked';
  }
}

/** A session may go on after a logout. The message holds no token. */
export class SessionNotEnded extends Error {
  constructor(reason: string) {
    super(`the access manager did not end the session: ${reason}`);
    this.name = 'SessionNotEnded';
  }
}

/**
 * Returns the session in the answer to `getSessionInfo` or `validate`; null for a session that is not valid.
 * @param askedAt when the access manager was asked, in milliseconds since 1970
 * @throws SessionUnchecked
 */
export function readSession({ status, content }: OwnAnswer, token: string, askedAt: number): KnownSession | null {
  const answer = readJsonObject(content);
  // the token of the session is the only credential of the request, so that a 401 is about the session
  if (status === 401 && answer?.['code'] === 401) return null;
  if (status === 404) throw new SessionUnchecked(`it answered with the status 404: ${ADDRESS_REMEDY}`);
  if (status !== 200) throw new SessionUnchecked(`it answered with the status ${status}`);
  if (answer === null) throw new SessionUnchecked('its answer is not a JSON object');
  if (answer['valid'] === false) return null;
  const username = text(answer, 'username') ?? text(answer, 'uid');
  const realm = text(answer, 'realm');
  if ((answer['valid'] !== true && username === null) || realm === null) {
    throw new SessionUnchecked('its answer names no user or no realm');
  }
  const properties = isObject(answer['properties']) ? readProperties(answer['properties']) : null;
  return new KnownSession({
    token,
    askedAt,
    uid: sessionUid(answer) ?? (properties === null ? null : sessionUid(properties)),
    username,
    universalId: text(answer, 'universalId'),
    realm,
    latestAccessTime: text(answer, 'latestAccessTime'),
    maxIdleExpirationTime: text(answer, 'maxIdleExpirationTime'),
    maxSessionExpirationTime: text(answer, 'maxSessionExpirationTime'),
    properties,
    raw: answer as JsonObject,
  });
}

/** Returns the id of a session in notifications, from an answer or from session properties; null without one. */
export function sessionUid(members: Readonly<Record<string, unknown>>): string | null {
  for (const name of UID_NAMES) {
    const uid = text(members, name);
    if (uid !== null) return uid;
  }
  return null;
}

/** Returns the properties in the answer to `getSessionProperties`; null where the session is not valid. @throws SessionUnchecked */
export function readPropertiesAnswer({ status, content }: OwnAnswer): Readonly<Record<string, string>> | null {
  const answer = readJsonObject(content);
  if (status === 401 && answer?.['code'] === 401) return null;
  if (status !== 200 || answer === null) throw new SessionUnchecked('its answer has no session properties');
  return answer['valid'] === false ? null : readProperties(answer);
}

/** Those that are texts; newer access managers give each a value, others leave members out. */
function readProperties(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(answer).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.filter(([name]) => !name.startsWith('_')));
}

function text(answer: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = (Object.hasOwn(answer, name) ? answer[name] : null) as JsonValue;
  return typeof value === 'string' && value !== '' ? value : null;
}
