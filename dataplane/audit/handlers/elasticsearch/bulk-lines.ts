import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';

/** How an event becomes a document: with its fields, or as one text beside the few fields that the gateway makes. */
export type DocumentForm = 'fields' | 'text';

/** Members that clients have no influence on. */
const OWN_MEMBERS = ['timestamp', 'eventName', 'transactionId'];

/**
 * The two lines of an event in a bulk request. `_id` is the id of the document, so that a repeated event is not stored
 * twice; documents may not have a member of this name, and have `_eventId` instead.
 */
export function bulkLines(event: AuditEvent, index: string, form: DocumentForm): string {
  const { id } = event;
  const action = JSON.stringify({ create: { _index: index, ...(id === '' ? {} : { _id: id }) } });
  return `${action}\n${document(event, form)}\n`;
}

function document(event: AuditEvent, form: DocumentForm): string {
  const { fields, topic } = event;
  const own = { ...(event.id === '' ? {} : { _eventId: event.id }), _topic: topic };
  if (form === 'fields') {
    const { _id: _, ...rest } = fields;
    return JSON.stringify({ ...rest, ...own });
  }
  const kept: Record<string, JsonValue> = {};
  for (const name of OWN_MEMBERS) {
    const value = fields[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return JSON.stringify({ ...kept, ...own, _unmapped: event.json });
}
