import { isAscii } from 'node:buffer';
import { visibleText } from '../../../log/visible-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';

const DELETE = 0x7f;
const LINE_FEED = Buffer.from('\n');

/** The last member, as events have it. */
const LAST_ID = /([{,])"_id":("[^"\\]*")\}$/;

/**
 * An event as one line of text. Characters that end a line for some reader or act on a terminal are escaped, so that no
 * value of a client looks like another event.
 *
 * @param topic true to add the topic as `_topic`, last
 */
export function jsonLine(event: AuditEvent, elasticsearchCompatible: boolean, topic: boolean): string {
  let line = visibleText(event.json);
  // Elasticsearch has a field `_id` of its own and refuses documents with another
  if (elasticsearchCompatible) line = line.replace(LAST_ID, '$1"_eventId":$2}');
  if (topic) {
    const separator = line === '{}' ? '' : ',';
    line = `${line.slice(0, -1)}${separator}"_topic":${visibleText(JSON.stringify(event.topic))}}`;
  }
  return `${line}\n`;
}

/** The line of an event in UTF-8, without its topic. Most events need no escapes and are taken as they are. */
export function jsonLineBytes(event: AuditEvent, elasticsearchCompatible: boolean): Buffer {
  const { bytes } = event;
  // JSON has no control characters below this one
  const isPlain = !elasticsearchCompatible && isAscii(bytes) && bytes.indexOf(DELETE) < 0;
  return isPlain
    ? Buffer.concat([bytes, LINE_FEED], bytes.length + 1)
    : Buffer.from(jsonLine(event, elasticsearchCompatible, false));
}
