import { hostname } from 'node:os';
import { jsonObjectIn } from '../../../../contract/document/json-value.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { type AuditSink, type OpenSink, Undelivered } from '../../writer/audit-sink.ts';
import { HttpPoster, type PostAnswer } from '../connection/http-poster.ts';
import { inParts, type PartResult } from '../connection/in-parts.ts';

/** Options of the sink, as its definition makes them. */
export interface SplunkOptions extends Readonly<Record<string, unknown>> {
  readonly host: string;
  readonly port: number;
  readonly tls: PortableTls | null;
  readonly token: string;
  readonly index: string | null;
  readonly source: string;
  readonly sourcetype: string;
  readonly maxBatchedEvents: number;
  readonly timeout: number;
}

const PATH = '/services/collector/event';
const MOST_BYTES = 512 * 1024;
const MOST_ANSWER = 64 * 1024;
/** Codes of the collector that blame an event: no data, invalid data format, no event field, blank event field. */
const BAD_EVENT: ReadonlySet<number> = new Set([5, 6, 12, 13]);
/** Words for what an operator has to mend. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'the token is missing or invalid: check the token of the handler',
  403: 'the token is invalid or disabled: check the token of the handler and of the HTTP Event Collector',
  404: 'there is no HTTP Event Collector at this place: check host and port, and that the collector is enabled',
};

/** Sends events to the HTTP Event Collector of Splunk. */
export const openSplunkSink: OpenSink = (options, { mayReach }): AuditSink => {
  const settings = options as SplunkOptions;
  const { host, port, tls, token, timeout } = settings;
  const poster = new HttpPoster({ host, port, tls, timeout, answerTimeout: timeout, maxAnswer: MOST_ANSWER, mayReach });
  const headers = { Authorization: `Splunk ${token}`, 'Content-Type': 'application/json' };
  const ownHost = hostname();

  async function send(events: readonly AuditEvent[]): Promise<PartResult> {
    const body = events.map((event) => collected(event, settings, ownHost)).join('\n');
    const answer = await poster.post(PATH, headers, body);
    return judged(answer, `${host}:${port}`, events.length);
  }

  return {
    batch: { events: settings.maxBatchedEvents, bytes: MOST_BYTES },
    deliver: (batch) => inParts(batch, send),
    close: () => poster.close(),
  };
};

/** An event as the collector takes it. */
function collected(event: AuditEvent, { index, source, sourcetype }: SplunkOptions, host: string): string {
  const { timestamp } = event.fields;
  const milliseconds = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  const about = {
    ...(Number.isNaN(milliseconds) ? {} : { time: milliseconds / 1000 }),
    host,
    source,
    sourcetype,
    ...(index === null ? {} : { index }),
    fields: { topic: event.topic },
  };
  return `${JSON.stringify(about).slice(0, -1)},"event":${event.json}}`;
}

function judged({ status, text }: PostAnswer, place: string, count: number): PartResult {
  const said = jsonObjectIn(text);
  const code = typeof said?.['code'] === 'number' ? said['code'] : null;
  if (status === 200 && code === 0) return { refused: [] };
  if (status === 413) return { blame: 'the event is too large for the collector', at: null };
  if (status === 400 && code !== null && BAD_EVENT.has(code)) {
    const number = said?.['invalid-event-number'];
    const at = typeof number === 'number' && Number.isInteger(number) && number >= 0 && number < count ? number : null;
    return { blame: `the collector answered code ${code}${reasonOf(code)}`, at };
  }
  const remedy = REMEDIES[status];
  const detail = code === null ? '' : `, code ${code}${reasonOf(code)}`;
  const message = status === 200 ? 'the answer is not one of an HTTP Event Collector' : `answered ${status}${detail}`;
  throw new Undelivered({ delivered: 0, message: `${place}: ${message}${remedy === undefined ? '' : `; ${remedy}`}` });
}

/** Meanings of codes. The text of the server is not repeated: it may hold what was sent. */
const REASONS: Readonly<Record<number, string>> = {
  1: 'token disabled',
  2: 'token required',
  3: 'invalid authorization',
  4: 'invalid token',
  5: 'no data',
  6: 'invalid data format',
  7: 'the token does not allow this index',
  8: 'internal server error',
  9: 'server is busy',
  10: 'data channel is missing: indexer acknowledgement is not supported, turn it off for this token',
  12: 'no event field',
  13: 'blank event field',
};

function reasonOf(code: number): string {
  const reason = REASONS[code];
  return reason === undefined ? '' : ` (${reason})`;
}
