import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../contract/document/json-value.ts';
import type { JournalRecord } from './journal-record.ts';

export const SESSION_TOPIC = '/agent/session';
export const SESSION_UID_TOPIC = '/agent/session.v2';
export const POLICY_TOPIC = '/agent/policy';

/** New sessions: nothing is cached of them. */
const BEGINNING = 'SESSION_CREATION';

/** Names of the topic and the fields of events about revoked tokens, which differ between versions. */
export interface TokenTerms {
  readonly topic: string;
  /** Fields with the id of the grant, the first that is there counts. */
  readonly grantId: readonly string[];
  /** Fields with the token or its id. */
  readonly tokenId: readonly string[];
}

/** What a message says. */
export type NotificationMessage =
  | { readonly kind: 'subscribed'; readonly topic: string }
  /** The access manager rejected a message of ours. */
  | { readonly kind: 'error'; readonly topic: string | null; readonly error: string }
  | { readonly kind: 'events'; readonly records: readonly JournalRecord[] }
  /** It may be an event about anything; the reason is for the log. */
  | { readonly kind: 'unclear'; readonly reason: string };

/**
 * Reads a message of the notification service. Newer versions send `{topic, timestamp, body}`; older ones send the body
 * alone, which its fields tell apart. A message that may be an event and cannot be understood is `unclear`.
 */
export function readMessage(text: string, terms: TokenTerms): NotificationMessage {
  const value = jsonObjectIn(text);
  if (value === null) return { kind: 'unclear', reason: 'a message is not a JSON object' };
  const { topic, body, error, message, id } = value;
  if (typeof error === 'string' && body === undefined) {
    return { kind: 'error', topic: typeof id === 'string' ? id : null, error };
  }
  if (typeof topic !== 'string') return bare(value, terms);
  if (body === undefined && typeof message === 'string') return { kind: 'subscribed', topic };
  if (body === undefined || !isJsonObject(body)) return { kind: 'unclear', reason: 'an event has no body' };
  if (topic === SESSION_TOPIC || topic === SESSION_UID_TOPIC) return session(body);
  if (topic === POLICY_TOPIC) return policy(body);
  if (topic === terms.topic) return token(body, terms);
  return { kind: 'events', records: [] }; // of a topic that nobody subscribed to
}

function bare(body: JsonObject, terms: TokenTerms): NotificationMessage {
  if (body['policy'] !== undefined || body['policySet'] !== undefined) return policy(body);
  if (body['sessionuid'] !== undefined) return session(body);
  if (terms.grantId.some((name) => body[name] !== undefined)) return token(body, terms);
  if (body['tokenId'] !== undefined) {
    if (body['eventType'] === BEGINNING) return { kind: 'events', records: [] };
    // it may be the id of a session or of an access token
    const of = [session(body), ...(terms.tokenId.includes('tokenId') ? [token(body, terms)] : [])];
    const unclear = of.find(({ kind }) => kind !== 'events');
    if (unclear !== undefined) return unclear;
    return { kind: 'events', records: of.flatMap((read) => (read.kind === 'events' ? read.records : [])) };
  }
  if (terms.tokenId.some((name) => body[name] !== undefined)) return token(body, terms);
  return { kind: 'unclear', reason: 'the kind of an event is not known' };
}

function session(body: JsonObject): NotificationMessage {
  const type = textIn(body, ['eventType']) ?? '';
  if (type === BEGINNING) return { kind: 'events', records: [] };
  const tokenId = textIn(body, ['tokenId']);
  const sessionUid = textIn(body, ['sessionuid']);
  if (tokenId === null && sessionUid === null) return { kind: 'unclear', reason: 'a session event names no session' };
  return { kind: 'events', records: [{ kind: 'session', event: { tokenId, sessionUid, type } }] };
}

function policy(body: JsonObject): NotificationMessage {
  const event = {
    realm: textIn(body, ['realm']),
    policySet: textIn(body, ['policySet']),
    policy: textIn(body, ['policy']),
    type: textIn(body, ['eventType']) ?? '',
  };
  // what is missing stands for all: a listener that gets null forgets the decisions of every set
  return { kind: 'events', records: [{ kind: 'policy', event }] };
}

function token(body: JsonObject, terms: TokenTerms): NotificationMessage {
  const grantId = textIn(body, terms.grantId);
  const tokenId = textIn(body, terms.tokenId);
  if (grantId === null && tokenId === null) return { kind: 'unclear', reason: 'a token event names no token' };
  const type = textIn(body, ['eventType']) ?? '';
  return { kind: 'events', records: [{ kind: 'token', event: { grantId, tokenId, type } }] };
}

/** The first of these fields that is a text and not empty. */
function textIn(body: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = body[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}
