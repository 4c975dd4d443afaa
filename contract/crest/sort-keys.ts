import type { JsonValue } from '../document/json-value.ts';
import { commaList } from './comma-list.ts';
import { badRequest, readPart } from './crest-error.ts';
import { fieldReader } from './field-reader.ts';
import { type JsonPointer, readJsonPointer } from './json-pointer.ts';
import type { Parameters } from './parameters.ts';
import type { QueryWork } from './query-work.ts';
import type { Resource } from './resource.ts';

/** Field to sort by. */
export interface SortKey {
  readonly field: JsonPointer;
  readonly isDescending: boolean;
}

const MOST_KEYS = 20;

/** Reads `_sortKeys`. @throws CrestError */
export function readSortKeys(parameters: Parameters): SortKey[] {
  const texts = parameters.all('_sortKeys').flatMap((value) => commaList(value ?? ''));
  if (texts.length > MOST_KEYS) throw badRequest(`_sortKeys has more than ${MOST_KEYS} fields`);
  return texts.map((text) => {
    if (text === '') throw badRequest('_sortKeys has an empty field');
    const isSigned = text.startsWith('+') || text.startsWith('-');
    const field = readPart(() => readJsonPointer(isSigned ? text.slice(1) : text), '_sortKeys');
    return { field, isDescending: text.startsWith('-') };
  });
}

/** Value that a resource is sorted by; null if it has none. */
export type Rank = string | number | boolean | null;

/** Characters of a text that count for its place, so that a place fits into a page cookie. */
const RANK_LENGTH = 200;

/** Reading that is counted elsewhere. */
const UNCOUNTED: RankWork = { readerOf: fieldReader, written: (text) => text };

type RankWork = Pick<QueryWork, 'readerOf' | 'written'>;

/** Returns a function for the values that a resource is sorted by, one for each key. */
export function rankReader(keys: readonly SortKey[], work: RankWork = UNCOUNTED): (of: Resource) => Rank[] {
  const readers = keys.map(({ field }) => work.readerOf(field));
  return (of) => readers.map((read) => rankOf(read(of), work));
}

/** Compares resources by their ranks. Missing values come last in both directions. */
export function compareRanks(a: readonly Rank[], b: readonly Rank[], keys: readonly SortKey[]): number {
  for (let at = 0; at < keys.length; at++) {
    const one = a[at] ?? null;
    const other = b[at] ?? null;
    if (one === null || other === null) {
      if (one !== other) return one === null ? 1 : -1;
      continue;
    }
    const order = comparedRanks(one, other);
    if (order !== 0) return keys[at]!.isDescending ? -order : order;
  }
  return 0;
}

/** Texts count without regard to case, an array by its smallest element, an object by its JSON. */
function rankOf(value: JsonValue | undefined, work: RankWork): Rank {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.toLowerCase().slice(0, RANK_LENGTH).toWellFormed();
  if (typeof value !== 'object') return value;
  if (!Array.isArray(value)) return rankOf(work.written(JSON.stringify(value)), work);
  const ranks = (value as readonly JsonValue[])
    .map((item) => rankOf(Array.isArray(item) ? work.written(JSON.stringify(item)) : item, work))
    .filter((rank) => rank !== null);
  return ranks.length === 0 ? null : ranks.reduce((least, rank) => (comparedRanks(rank, least) < 0 ? rank : least));
}

/** Values of different types come in the order of the names of their types. */
function comparedRanks(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
