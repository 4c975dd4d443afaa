import { errorText } from '../../../../platform/error-text.ts';

/** Names of conditions that people look for (SQLSTATE). */
const NAMES: Readonly<Record<string, string>> = {
  '08': 'connection failure',
  '22001': 'a value is too long for its column',
  '22003': 'a number is out of range',
  '22007': 'a value is no date or time',
  '22P02': 'a value does not have the type of its column',
  '23502': 'a column must not be null',
  '23505': 'a unique constraint is violated',
  '23514': 'a check constraint is violated',
  '28000': 'the user is not allowed to connect',
  '28P01': 'user name or password is wrong',
  '3D000': 'there is no such database',
  '42501': 'the user may not write to the table',
  '42703': 'there is no such column: check fieldToColumn',
  '42P01': 'there is no such table: check tableMappings',
  '42P10': 'the column of _id has no unique index, which keeps repeated events out: create one',
  '53100': 'the disk is full',
  '53300': 'too many connections',
  '57014': 'the statement was cancelled',
  '57P01': 'the server shuts down',
  '57P03': 'the server is starting or shutting down',
};

/** What PostgreSQL said, without values: its own messages repeat them. */
export interface DatabaseFault {
  /** Null for failures that PostgreSQL did not report itself. */
  readonly code: string | null;
  readonly text: string;
  /** Whether the values of an event are to blame. */
  readonly isAboutValues: boolean;
}

export function databaseFault(error: unknown): DatabaseFault {
  const { code, column, constraint, severity } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || typeof severity !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) {
    return { code: null, text: errorText(error), isAboutValues: false };
  }
  const name = NAMES[code] ?? NAMES[code.slice(0, 2)] ?? 'the server reported an error';
  const place = [
    typeof column === 'string' ? ` (column ${column})` : '',
    typeof constraint === 'string' ? ` (constraint ${constraint})` : '',
  ].join('');
  // data exceptions, violated constraints, and limits such as that of an index entry
  return { code, text: `PostgreSQL answered ${code}: ${name}${place}`, isAboutValues: /^(?:22|23|54)/.test(code) };
}
