import { type JsonPointer, valueAt } from '../../../../contract/crest/json-pointer.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { type FlatField, topicFields } from './topic-fields.ts';

/** Which value of which field of a topic gives a message which severity. */
export interface SeverityMapping {
  readonly topic: string;
  readonly field: JsonPointer;
  /** Values as text, each with its severity. */
  readonly severities: readonly (readonly [value: string, severity: number])[];
}

export interface MessageFormat {
  readonly facility: number;
  readonly mappings: readonly SeverityMapping[];
  readonly hostname: string;
  readonly appName: string;
  readonly processId: number;
  /** Longest message in bytes. */
  readonly maxSize: number;
}

const INFORMATIONAL = 6;
/** Enterprise number in the ids of structured data, which consumers of the reference product look for. */
const ENTERPRISE = '@36733';
const LONGEST_NAME = 32;
const CUT = '…';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/;
/** Characters that break lines or drive terminals. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Makes the message of an event (RFC 5424), without framing: all of it is in the structured data, and there is no text
 * after it. A message that would be too long has its longest values cut and says so with `truncated="true"`, so that a
 * client cannot hide a request by making it large.
 *
 * @returns null for an event that does not fit even so
 */
export function syslogMessage(event: AuditEvent, format: MessageFormat, now: number): Buffer | null {
  const { eventName, timestamp } = event.fields;
  const priority = format.facility * 8 + severityOf(event, format.mappings);
  const time = typeof timestamp === 'string' && TIMESTAMP.test(timestamp) ? timestamp : new Date(now).toISOString();
  const messageId = headerField(typeof eventName === 'string' ? eventName : '', 32);
  const names = [headerField(format.hostname, 255), headerField(format.appName, 48), String(format.processId)];
  const id = dataName(`${event.topic}.${format.appName}`, LONGEST_NAME - ENTERPRISE.length);
  const head = `<${priority}>1 ${time} ${names.join(' ')} ${messageId} [${id}${ENTERPRISE}`;
  const fields = topicFields(event.topic, event.fields).map(([name, value]): FlatField => [dataName(name), value]);
  const whole = Buffer.from(`${head}${parameters(fields, Number.POSITIVE_INFINITY)}] `);
  if (whole.length <= format.maxSize) return whole;
  return cutMessage(`${head} truncated="true"`, fields, format.maxSize);
}

/** Finds the longest values that fit by halving what is between none and all. */
function cutMessage(head: string, fields: readonly FlatField[], maxSize: number): Buffer | null {
  let best: Buffer | null = null;
  for (let low = 0, high = maxSize; low <= high; ) {
    const limit = (low + high) >> 1;
    const tried = Buffer.from(`${head}${parameters(fields, limit)}] `);
    if (tried.length <= maxSize) {
      best = tried;
      low = limit + 1;
    } else {
      high = limit - 1;
    }
  }
  return best;
}

function parameters(fields: readonly FlatField[], longest: number): string {
  return fields.map(([name, value]) => ` ${name}="${escaped(value, longest)}"`).join('');
}

/** A value with `"`, `\` and `]` escaped and control characters as `\u000a`, cut to so many characters. */
function escaped(value: string, longest: number): string {
  const kept = value.length <= longest ? value : `${wholeCharacters(value, longest)}${CUT}`;
  return kept
    .replace(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/["\\\]]/g, String.raw`\$&`);
}

/** The beginning of a text without half a character at its end. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function severityOf(event: AuditEvent, mappings: readonly SeverityMapping[]): number {
  for (const { topic, field, severities } of mappings) {
    if (topic !== event.topic) continue;
    const value = valueAt(event.fields, field);
    const found = typeof value === 'string' ? value : JSON.stringify(value);
    const severity = severities.find(([mapped]) => mapped === found)?.[1];
    if (severity !== undefined) return severity;
  }
  return INFORMATIONAL;
}

/** A field of the header: printable ASCII without spaces, or `-` for none. */
function headerField(text: string, longest: number): string {
  return text.replace(/[^!-~]/g, '_').slice(0, longest) || '-';
}

/** A name in the structured data: printable ASCII without `=`, `]`, `"`, `@` and spaces. */
function dataName(text: string, longest = LONGEST_NAME): string {
  return text.replace(/[^!-~]|[=@"\]]/g, '_').slice(0, longest) || '_';
}
