import { isAscii } from 'node:buffer';
import { visibleText } from '../../../log/visible-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { joinedLines, type Lines } from '../file/lines.ts';

const DELETE = 0x7f;
const LINE_FEED = 0x0a;
const END = Buffer.from([LINE_FEED]);

/** The last member, as events have it. */
const LAST_ID = /([{,])"_id":("[^"\\]*")\}$/;

/**
 * An event as one line of text. Characters that end a line for some reader or act on a terminal are escaped, so that no
 * value of a client looks like another event.
 */
export function jsonLine(event: AuditEvent, elasticsearchCompatible: boolean): string {
  return `${visibleEvent(event.json, elasticsearchCompatible)}\n`;
}

function visibleEvent(json: string, elasticsearchCompatible: boolean): string {
  const line = visibleText(json);
  // Elasticsearch has a field `_id` of its own and refuses documents with another
  return elasticsearchCompatible ? line.replace(LAST_ID, '$1"_eventId":$2}') : line;
}

/** The service that writes a line, and the tenant whose service it is; empty for operators. */
export interface LineAuthor {
  readonly service: string;
  readonly realm: string;
}

/** Members that the gateway adds. An event that has one of them could pass for that of another service or topic. */
const ADDED: readonly string[] = ['_tenant', '_service', '_topic'];

/**
 * The line of an event for an output that several services share. It ends with the service and the topic, which no event
 * can set. That of a tenant has the event inside, so that none of its members stands where those of operators do.
 */
export function authoredLine(event: AuditEvent, elasticsearchCompatible: boolean, author: LineAuthor): string {
  const text = (value: string): string => visibleText(JSON.stringify(value));
  const end = `"_service":${text(author.service)},"_topic":${text(event.topic)}}\n`;
  if (author.realm !== '') {
    return `{"_tenant":${text(author.realm)},"event":${visibleEvent(event.json, elasticsearchCompatible)},${end}`;
  }
  const json = ADDED.some((name) => event.json.includes(`"${name}"`)) ? withoutAdded(event) : event.json;
  const line = visibleEvent(json, elasticsearchCompatible);
  return `${line.slice(0, -1)}${line === '{}' ? '' : ','}${end}`;
}

function withoutAdded({ fields }: AuditEvent): string {
  return JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => !ADDED.includes(name))));
}

/** Largest memory that is kept for the next lines. */
const MOST_KEPT = 2 << 20;

/** Writes the lines of events in UTF-8, without their topics, into memory that is used again for the next ones. */
export class JsonLines {
  private readonly elasticsearchCompatible: boolean;
  private memory: Buffer = Buffer.alloc(0);

  constructor(elasticsearchCompatible: boolean) {
    this.elasticsearchCompatible = elasticsearchCompatible;
  }

  /** Lines that hold until the next call. Most events need no escapes and are copied as they are. */
  of(events: readonly AuditEvent[]): Lines {
    const { elasticsearchCompatible } = this;
    if (elasticsearchCompatible) return joinedLines(events.map((event) => Buffer.from(jsonLine(event, true))));
    return this.plain(events) ?? joinedLines(events.map(lineBytes));
  }

  /** The same where no character of any event needs an escape, otherwise null. */
  private plain(events: readonly AuditEvent[]): Lines | null {
    let size = events.length;
    for (const event of events) size += event.size;
    const bytes = this.room(size);
    const ends: number[] = [];
    let at = 0;
    for (const event of events) {
      at = event.copyTo(bytes, at);
      bytes[at++] = LINE_FEED;
      ends.push(at);
    }
    return isPlain(bytes) ? { bytes, ends } : null;
  }

  private room(size: number): Buffer {
    if (size > MOST_KEPT) return Buffer.allocUnsafeSlow(size);
    if (size > this.memory.length) this.memory = Buffer.allocUnsafeSlow(Math.min(MOST_KEPT, size * 2));
    return this.memory.subarray(0, size);
  }
}

function lineBytes(event: AuditEvent): Buffer {
  const { bytes } = event;
  return isPlain(bytes) ? Buffer.concat([bytes, END]) : Buffer.from(jsonLine(event, false));
}

/** True where no character needs an escape. JSON has no control characters below the one that is looked for. */
function isPlain(bytes: Buffer): boolean {
  return isAscii(bytes) && !bytes.includes(DELETE);
}
