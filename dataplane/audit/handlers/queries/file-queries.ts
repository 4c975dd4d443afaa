import { hash } from 'node:crypto';
import { matchesFilter } from '../../../../contract/crest/filter-match.ts';
import { compareRanks, type Rank, rankReader } from '../../../../contract/crest/sort-keys.ts';
import { type JsonObject, jsonObjectIn } from '../../../../contract/document/json-value.ts';
import { errorText } from '../../../../platform/error-text.ts';
import { closeLineFiles, linesOf, openLineFiles } from '../file/file-lines.ts';
import { type AuditQueries, pageOf, pageWindow, QueryRefusal } from './audit-queries.ts';

export interface FileQueriesOptions {
  /** The file of a topic, and what tells those that were put aside for it; null for an unknown topic. */
  fileOf(topic: string): { readonly path: string; readonly rotated: RegExp | null } | null;
  /** Limits in place of the usual ones. */
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  /** Most bytes of events that a query holds at once. */
  mostBytes: 16 << 20,
  /** Most queries at a time: each reads all files of its topic. */
  mostAtOnce: 2,
  /** Milliseconds. */
  longest: 60_000,
};

interface Found {
  readonly event: JsonObject;
  readonly bytes: number;
  /** Values that it is sorted by. */
  readonly ranks: readonly Rank[];
  /** Place in all files, which makes the order of equal events stable. */
  readonly place: number;
  id(): string;
}

/** Answers queries from files with an event in each line, which are read from their beginning for each query. */
export function fileQueries({ fileOf, limits: given }: FileQueriesOptions): AuditQueries {
  const limits = { ...LIMITS, ...given };
  let running = 0;

  /** Visits the events of a topic in the order of the files until `visit` returns false. */
  async function each(topic: string, visit: (event: JsonObject, line: Buffer) => boolean): Promise<void> {
    const file = fileOf(topic);
    if (file === null) throw new QueryRefusal(404, `the handler has no topic '${topic}'`);
    if (running >= limits.mostAtOnce) throw new QueryRefusal(503, 'too many queries run at once: try again later');
    running++;
    const until = performance.now() + limits.longest;
    try {
      const files = await openLineFiles(file.path, file.rotated);
      try {
        for (const one of files) {
          for await (const lines of linesOf(one)) {
            if (performance.now() > until)
              throw new QueryRefusal(503, 'the query takes too long: there are too many events');
            for (const line of lines) {
              const event = jsonObjectIn(line.toString());
              if (event !== null && !visit(withId(event), line)) return;
            }
          }
        }
      } finally {
        await closeLineFiles(files);
      }
    } catch (error) {
      if (error instanceof QueryRefusal) throw error;
      throw new QueryRefusal(503, `the files cannot be read: ${errorText(error)}`);
    } finally {
      running--;
    }
  }

  return {
    async query(query) {
      const { sortKeys, after = null } = query;
      const window = pageWindow(after === null ? query : { ...query, offset: 0 });
      const most = window.offset + window.size;
      const isSorted = sortKeys.length > 0;
      const ranksOf = rankReader(sortKeys);
      let [total, behind, bytes] = [0, 0, 0];
      let isBehind = after === null;
      let found: Found[] = [];
      /** Events with the same ranks as the one to go on behind, which may be gone: then these are the next ones. */
      let before: Found[] = [];
      const hold = (one: Found): void => {
        found.push(one);
        bytes += one.bytes;
        if (bytes <= limits.mostBytes) return;
        trim();
        if (bytes > limits.mostBytes)
          throw new QueryRefusal(400, 'the results are too large: use a smaller page or a narrower filter');
      };
      const trim = (): void => {
        if (isSorted) found.sort((a, b) => compareRanks(a.ranks, b.ranks, sortKeys) || a.place - b.place);
        found = found.slice(0, most);
        bytes = [...before, ...found].reduce((sum, one) => sum + one.bytes, 0);
      };
      await each(query.topic, (event, line) => {
        if (!matchesFilter(query.filter, event)) return true;
        const place = total++;
        const ranks = isSorted ? ranksOf({ id: String(event['_id'] ?? ''), revision: null, content: event }) : [];
        const one = { event, bytes: line.length, ranks, place, id: () => idOf(event, line) };
        const order = after === null ? 1 : compareRanks(ranks, after.ranks, sortKeys);
        if (order < 0) return true;
        if (order === 0 && !isBehind) {
          isBehind = one.id() === after!.id;
          if (isBehind) before = [];
          else if (before.length < most) before.push(one);
          return true;
        }
        if (isSorted) {
          hold(one);
          if (found.length >= 2 * most) trim();
          return true;
        }
        // events before the window are not held, and those after it are only counted
        const at = behind++;
        if (at >= window.offset && at < most) hold(one);
        return query.counts || at + 1 < most;
      });
      if (!isBehind) found = [...before, ...found];
      trim();
      const events = isSorted ? found.slice(window.offset) : found;
      const page = pageOf(
        query,
        window,
        events.map(({ event }) => event),
        query.counts ? total : -1,
      );
      const last = events[page.results.length - 1];
      return page.next === null || last === undefined ? page : { ...page, last: { ranks: last.ranks, id: last.id() } };
    },
    async read(topic, id) {
      let read: JsonObject | null = null;
      await each(topic, (event) => {
        if (event['_id'] === id) read = event;
        return read === null;
      });
      return read;
    },
  };
}

/** Events for Elasticsearch have their id under another name in files. */
function withId(event: JsonObject): JsonObject {
  if (Object.hasOwn(event, '_id') || typeof event['_eventId'] !== 'string') return event;
  const { _eventId: _id, ...rest } = event;
  return { ...rest, _id };
}

/** Id of an event, or of its line. */
function idOf({ _id }: JsonObject, line: Buffer): string {
  return typeof _id === 'string' && _id !== '' ? _id : `#${hash('sha256', line, 'base64url')}`;
}
