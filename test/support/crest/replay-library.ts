import { readApiVersions, versionText } from '../../../contract/crest/api-version.ts';
import { matchesFilter } from '../../../contract/crest/filter-match.ts';
import { readJsonPointer } from '../../../contract/crest/json-pointer.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { CrestReplay } from './replay-crest.ts';

/** A row of test/vectors/queryfilter.jsonl: the values that a filter selects, or an error. */
export interface FilterRow {
  readonly filter?: string;
  /** A filter that is nested so often that it must be refused. */
  readonly filterRepeat?: string;
  readonly ids?: readonly string[];
  readonly error?: string;
  /** Our specification demands something else. */
  readonly specConflict?: true;
}

/** Values that the rows are about, by their place. */
const VALUES: readonly JsonObject[] = [
  {
    name: 'alice',
    age: 20,
    tags: ['x', 'y'],
    addr: { city: 'Paris', zip: '75001' },
    active: true,
    n: null,
    score: 3.14,
  },
  { name: 'Bob', age: 30, tags: [], addr: { city: 'paris' }, active: false, score: -1 },
  { name: 'ALICE', age: '20', tags: 'x', active: 'true', 'weird/key': 'x' },
  { name: '', age: 20, tags: ['Y', 'a b'], addr: ['Paris'], 'sp ace': 'y' },
  { age: -1, tags: [20, true], name: ['alice', 'bob'] },
  { name: 'q"t', age: null },
];

/** Ids of the values that a filter selects. @throws CrestError */
export function selectedValues(filter: string): string[] {
  const read = readQueryFilter(filter);
  return VALUES.flatMap((value, at) => (matchesFilter(read, { _id: `${at}`, ...value }) ? [`${at}`] : []));
}

const SAME: CrestReplay = { verdict: 'same', lines: [] };

/** Compares what a filter selects with a row. */
export function replayFilter({ filter, filterRepeat, ids, error, specConflict }: FilterRow): CrestReplay {
  const text = filter ?? `${'('.repeat(2000)}${filterRepeat ?? 'true'}${')'.repeat(2000)}`;
  const ours = outcomeOf(() => selectedValues(text));
  const observed = ids === undefined || error !== undefined ? 'an error' : JSON.stringify(ids);
  return compared(observed, ours, specConflict === true ? 'the specification says something else' : null);
}

/** A pointer, or a header, with what it means: null is an error. */
export interface MeaningRow {
  readonly id: string;
  readonly title: string;
  readonly meaning: string | null;
  read(): string;
}

/** Rows of a file like test/vectors/jsonpointer.json. */
export function pointerRows(file: JsonObject): MeaningRow[] {
  const {
    equal = [],
    segments = {},
    invalid = [],
  } = file as unknown as {
    readonly equal?: readonly (readonly [string, string])[];
    readonly segments?: Readonly<Record<string, readonly string[]>>;
    readonly invalid?: readonly string[];
  };
  const stepsOf = (text: string): string => JSON.stringify(readJsonPointer(text));
  const rows: Omit<MeaningRow, 'id'>[] = [
    ...equal.map(([one, other]) => ({
      title: `${one} is ${other}`,
      meaning: stepsOf(other),
      read: () => stepsOf(one),
    })),
    ...Object.entries(segments).map(([text, steps]) => {
      return { title: text, meaning: JSON.stringify(steps), read: () => stepsOf(text) };
    }),
    ...invalid.map((text) => ({ title: text, meaning: null, read: () => stepsOf(text) })),
  ];
  return rows.map((row, at) => ({ id: `pointer-${at + 1}`, ...row }));
}

/** Rows of a file like test/vectors/accept-api-version.json. */
export function versionRows(file: JsonObject): MeaningRow[] {
  const { valid = [], invalid = [] } = file as unknown as {
    readonly valid?: readonly (readonly [string, string | null, string | null])[];
    readonly invalid?: readonly string[];
  };
  const read = (text: string) => (): string => {
    const { protocol, resource } = readApiVersions(text);
    return JSON.stringify([protocol && versionText(protocol), resource && versionText(resource)]);
  };
  const rows: Omit<MeaningRow, 'id'>[] = [
    ...valid.map(([text, ...versions]) => ({ title: text, meaning: JSON.stringify(versions), read: read(text) })),
    ...invalid.map((text) => ({ title: text, meaning: null, read: read(text) })),
  ];
  return rows.map((row, at) => ({ id: `version-${at + 1}`, ...row }));
}

/** Compares the meaning of a text with a row. */
export function replayMeaning({ meaning, read }: MeaningRow): CrestReplay {
  return compared(meaning ?? 'an error', outcomeOf(read), null);
}

function compared(observed: string, ours: string, wanted: string | null): CrestReplay {
  if (observed === ours) return SAME;
  if (wanted !== null) return { verdict: 'wanted', lines: [wanted] };
  return { verdict: 'different', lines: [`observed ${observed}`, `ours     ${ours}`] };
}

function outcomeOf(run: () => string | readonly string[]): string {
  try {
    const result = run();
    return typeof result === 'string' ? result : JSON.stringify(result);
  } catch {
    return 'an error';
  }
}
