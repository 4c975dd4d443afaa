import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonObjectIn,
} from '../../../../contract/document/json-value.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { type AuditSink, type OpenSink, type RefusedEvent, Undelivered } from '../../writer/audit-sink.ts';
import { HttpPoster, type PostAnswer } from '../connection/http-poster.ts';
import { inParts, type PartResult } from '../connection/in-parts.ts';
import { bulkLines, type DocumentForm } from './bulk-lines.ts';

/** Options of the sink, as its definition makes them. */
export interface ElasticsearchOptions extends Readonly<Record<string, unknown>> {
  readonly host: string;
  readonly port: number;
  readonly tls: PortableTls | null;
  /** `user:password`, or null. */
  readonly credentials: string | null;
  readonly indexName: string;
  readonly maxBatchedEvents: number;
  readonly timeout: number;
}

const PATH = '/_bulk?filter_path=errors,items.*.status,items.*.error.type';
const MOST_BYTES = 4 * 1024 ** 2;
const MOST_ANSWER = 16 * 1024 ** 2;
const REMEDIES: Readonly<Record<number, string>> = {
  401: ': check user name and password of the handler',
  403: ': the user may not create documents in this index',
};

/** Outcome of one event in a bulk request. */
type Outcome = 'safe' | 'again' | 'unmapped';

/** Sends events to Elasticsearch or OpenSearch in bulk requests. */
export const openElasticsearchSink: OpenSink = (options, { mayReach }): AuditSink => {
  const settings = options as ElasticsearchOptions;
  const { host, port, tls, credentials, indexName, timeout } = settings;
  const place = `${host}:${port}`;
  const poster = new HttpPoster({ host, port, tls, timeout, answerTimeout: timeout, maxAnswer: MOST_ANSWER, mayReach });
  const headers = {
    'Content-Type': 'application/x-ndjson',
    ...(credentials === null ? {} : { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };

  /** Returns null when the request is too large. */
  async function bulk(events: readonly AuditEvent[], form: DocumentForm): Promise<Outcome[] | null> {
    const body = events.map((event) => bulkLines(event, indexName, form)).join('');
    const answer = await poster.post(PATH, headers, body);
    return answer.status === 413 ? null : outcomes(answer, place, events.length);
  }

  async function send(events: readonly AuditEvent[]): Promise<PartResult> {
    const found = await bulk(events, 'fields');
    if (found === null) return { blame: 'the event is too large for a bulk request', at: null };
    const refused = await sendUnmapped(events, found);
    const delivered = found.indexOf('again');
    if (delivered < 0) return { refused };
    const message = `${place}: ${found.filter((one) => one === 'again').length} events were rejected for now`;
    throw new Undelivered({ delivered, message, refused: refused.filter(({ at }) => at < delivered) });
  }

  /** Sends events that the mapping of the index rejects once more, as one text that fits any mapping. */
  async function sendUnmapped(events: readonly AuditEvent[], found: Outcome[]): Promise<RefusedEvent[]> {
    const places = [...found.keys()].filter((at) => found[at] === 'unmapped');
    if (places.length === 0) return [];
    const again = await bulk(
      places.map((at) => events[at]!),
      'text',
    );
    const refused: RefusedEvent[] = [];
    for (const [number, at] of places.entries()) {
      const outcome = again?.[number] ?? 'unmapped';
      found[at] = outcome;
      if (outcome === 'unmapped') refused.push({ at, reason: 'the mapping of the index rejects the event' });
    }
    return refused;
  }

  return {
    batch: { events: settings.maxBatchedEvents, bytes: MOST_BYTES },
    deliver: (batch) => inParts(batch, send),
    close: () => poster.close(),
  };
};

function outcomes({ status, text }: PostAnswer, place: string, count: number): Outcome[] {
  if (status !== 200) {
    const message = `${place}: answered ${status}${REMEDIES[status] ?? ''}`;
    throw new Undelivered({ delivered: 0, message });
  }
  const items = jsonObjectIn(text)?.['items'];
  if (!Array.isArray(items) || items.length !== count) {
    throw new Undelivered({ delivered: 0, message: `${place}: the answer is not one to a bulk request` });
  }
  return (items as readonly JsonValue[]).map(outcome);
}

function outcome(item: JsonValue): Outcome {
  const result: JsonValue | undefined = isJsonObject(item) ? (item as JsonObject)['create'] : undefined;
  const status = isJsonObject(result) ? result['status'] : undefined;
  if (status === 200 || status === 201) return 'safe';
  if (status === 409) return 'safe'; // it is there from an earlier attempt
  return status === 400 ? 'unmapped' : 'again';
}
