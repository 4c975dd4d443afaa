import { isJsonObject, jsonObjectIn } from '../../../contract/document/json-value.ts';
import type { PolicyEvent, SessionEvent, TokenEvent } from '../../heap/objects/am-service.ts';

/** What a journal holds. `unclear`: something arrived that may concern everything. */
export type JournalRecord =
  | { readonly kind: 'session'; readonly event: SessionEvent }
  | { readonly kind: 'policy'; readonly event: PolicyEvent }
  | { readonly kind: 'token'; readonly event: TokenEvent }
  | { readonly kind: 'unclear' | 'lost' | 'regained' };

export function recordText(record: JournalRecord): string {
  return JSON.stringify(record);
}

/** Returns the record in a text of `recordText`; null for anything else. */
export function readRecord(text: string): JournalRecord | null {
  const value = jsonObjectIn(text);
  if (value === null) return null;
  const { kind, event } = value;
  if (kind === 'unclear' || kind === 'lost' || kind === 'regained') return { kind };
  if (event === undefined || !isJsonObject(event)) return null;
  const field = (name: string): string | null => {
    const found = event[name];
    return typeof found === 'string' ? found : null;
  };
  const type = field('type') ?? '';
  if (kind === 'session') {
    return { kind, event: { tokenId: field('tokenId'), sessionUid: field('sessionUid'), type } };
  }
  if (kind === 'policy') {
    return { kind, event: { realm: field('realm'), policySet: field('policySet'), policy: field('policy'), type } };
  }
  return kind === 'token' ? { kind, event: { grantId: field('grantId'), tokenId: field('tokenId'), type } } : null;
}
