import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { objectOf } from '../../../contract/document/lenient-parts.ts';
import { Poll } from '../../client/poll.ts';
import { query } from '../../client/rest-client.ts';
import type { RestFailure } from '../../client/rest-failure.ts';
import { usePoll } from '../../client/use-poll.ts';
import type { OpenResource } from '../../client/watched.ts';
import { JsonText } from '../../parts/code.tsx';
import { counted } from '../../parts/figures.ts';
import { Empty, Shown } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { dayAndTime, zoneName } from '../../parts/times.ts';
import { addressOf, type Place, setParameters } from '../../shell/place.ts';

const TOPICS = ['access', 'activity', 'authentication', 'config'] as const;
const EVERY = 3000;
const MOST = 200;

/** The newest audit events of a topic, from the handler for queries. */
export function AuditPage({ place }: { readonly place: Place }): JSX.Element {
  const topic = TOPICS.find((one) => one === place.query.get('topic')) ?? 'access';
  const poll = useMemo(() => new Poll((signal) => newest(topic, signal), EVERY), [topic]);
  const known = usePoll(poll);
  const text = place.query.get('filter') ?? '';
  const events = known.value?.filter((event) => matches(event, text)) ?? [];
  return (
    <div class="page">
      <PageHead title="Audit" at={known.at}>
        <span>newest events first, at most {MOST}</span>
        {known.value === null ? null : <span>{counted(events.length, 'event')}</span>}
      </PageHead>
      <search class="tools">
        <label class="topic">
          Topic{' '}
          <select value={topic} onChange={(event) => setParameters({ topic: event.currentTarget.value })}>
            {TOPICS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="filter">
          <span class="unseen">Filter events by any text in them</span>
          <input
            type="search"
            class="plain"
            placeholder="Filter by any text"
            value={text}
            onInput={(event) => setParameters({ filter: event.currentTarget.value })}
          />
        </label>
      </search>
      {isUnavailable(known.failure) ? (
        <Empty title="Audit events cannot be queried here">
          <p>The gateway says: {known.failure?.message}.</p>
          <p>
            Declare an AuditService whose <code>handlerForQueries</code> can answer queries, such as a
            JsonAuditEventHandler.
          </p>
        </Empty>
      ) : (
        <Shown known={known} what="audit events" retry={poll.refresh}>
          {() =>
            events.length === 0 ? (
              <Empty title={text === '' ? 'There are no events yet' : 'No event matches'} />
            ) : (
              <EventTable events={events} open={place.query.get('event')} />
            )
          }
        </Shown>
      )}
    </div>
  );
}

function newest(topic: string, signal: AbortSignal): Promise<readonly OpenResource[]> {
  const parameters = { _queryFilter: 'true', _sortKeys: '-timestamp', _pageSize: String(MOST) };
  return query<OpenResource>(`audit/${topic}`, parameters, signal);
}

/** Without a service that answers queries, the gateway says 404, or 501 for one that cannot. */
function isUnavailable(failure: RestFailure | null): boolean {
  return failure !== null && (failure.status === 404 || failure.status === 501);
}

function matches(event: OpenResource, text: string): boolean {
  return text === '' || JSON.stringify(event).toLowerCase().includes(text.toLowerCase());
}

interface EventTableProps {
  readonly events: readonly OpenResource[];
  /** Id of the event that is shown whole; null for none. */
  readonly open: string | null;
}

function EventTable({ events, open }: EventTableProps): JSX.Element {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">
            Time <span class="faint">{zoneName()}</span>
          </th>
          <th scope="col">Event</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Status</th>
          <th scope="col">Transaction</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRow key={event._id} event={event} isOpen={event._id === open} />
        ))}
      </tbody>
    </table>
  );
}

interface EventRowProps {
  readonly event: OpenResource;
  readonly isOpen: boolean;
}

function EventRow({ event, isOpen }: EventRowProps): JSX.Element {
  const at = new Date(String(event['timestamp'] ?? ''));
  const request = objectOf(objectOf(event['http'])['request']);
  const response = objectOf(event['response']);
  const what = [request['method'], request['path']].filter((part) => typeof part === 'string').join(' ');
  const explain = explainAddress(event);
  return (
    <>
      <tr>
        <td class="number">
          <button
            type="button"
            class="plain-button"
            aria-expanded={isOpen}
            onClick={() => setParameters({ event: isOpen ? null : event._id })}
          >
            {Number.isNaN(at.getTime()) ? '–' : dayAndTime(at)}
          </button>
        </td>
        <td>{textIn(event['eventName']) ?? '–'}</td>
        <td>{textIn(event['userId']) ?? textIn(objectOf(event['client'])['ip']) ?? '–'}</td>
        <td>
          <code>{what === '' ? (textIn(event['objectId']) ?? '–') : what}</code>
        </td>
        <td>{String(response['statusCode'] ?? response['status'] ?? textIn(event['status']) ?? '–')}</td>
        <td>
          <code class="faint">{textIn(event['transactionId']) ?? '–'}</code>
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={6}>
            {explain === null ? null : (
              <p>
                <a href={explain}>Explain this request</a>
              </p>
            )}
            <JsonText value={event} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** Address that asks about the request of an event; null for an event without one. Values of headers are left out. */
export function explainAddress(event: OpenResource): string | null {
  const { method, path, headers } = objectOf(objectOf(event['http'])['request']);
  if (typeof method !== 'string' || typeof path !== 'string') return null;
  const names = Object.keys(objectOf(headers)).filter((name) => name !== 'host' && /^[\w-]{1,100}$/.test(name));
  return addressOf(['explain'], { method: method === 'GET' ? '' : method, uri: path, headers: names.join(',') });
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
