import { badRequest } from './crest-error.ts';

/** Value of a parameter; null for one without an equals sign. */
export type ParameterValue = string | null;

/** Parameters of a request, in the order of the query string. */
export class Parameters {
  private readonly values: ReadonlyMap<string, readonly ParameterValue[]>;

  constructor(values: ReadonlyMap<string, readonly ParameterValue[]>) {
    this.values = values;
  }

  /** Names of parameters; reserved ones are in the spelling of the table below. */
  get names(): string[] {
    return [...this.values.keys()];
  }

  has(name: ReservedName): boolean {
    return this.values.has(name);
  }

  all(name: ReservedName): readonly ParameterValue[] {
    return this.values.get(name) ?? [];
  }

  /** Returns the only value of a parameter; null if it is absent or has none. @throws CrestError if it has several */
  single(name: string): ParameterValue {
    const [value = null, ...more] = this.values.get(name) ?? [];
    if (more.length > 0) throw badRequest(`the parameter '${name}' is given more than once`);
    return value;
  }

  /** Returns true for the value `true` in any case, false for all other ones. @throws CrestError */
  flag(name: ReservedName): boolean {
    return this.single(name)?.toLowerCase() === 'true';
  }

  /** Returns an integer of 32 bits; 0 if the parameter is absent. @throws CrestError */
  integer(name: ReservedName): number {
    if (!this.has(name)) return 0;
    const text = this.single(name) ?? '';
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || value !== (value | 0)) {
      throw badRequest(`the parameter '${name}' must be an integer of 32 bits`);
    }
    return value | 0;
  }
}

const RESERVED = [
  '_action',
  '_api',
  '_countOnly',
  '_crestapi',
  '_fields',
  '_mimeType',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_prettyPrint',
  '_queryExpression',
  '_queryFilter',
  '_queryId',
  '_sortKeys',
  '_totalPagedResultsPolicy',
] as const;

export type ReservedName = (typeof RESERVED)[number];

const SPELLING: ReadonlyMap<string, string> = new Map(RESERVED.map((name) => [name.toLowerCase(), name]));

const MOST_PARAMETERS = 200;

/** Reads a query string. Names that are reserved count in any case. @throws CrestError */
export function readParameters(query: string): Parameters {
  const values = new Map<string, ParameterValue[]>();
  const pairs = query.split('&', MOST_PARAMETERS + 1);
  if (pairs.length > MOST_PARAMETERS) throw badRequest(`there are more than ${MOST_PARAMETERS} parameters`);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    if (name === '') continue;
    const known = SPELLING.get(name.toLowerCase()) ?? name;
    const value = equals < 0 ? null : decoded(pair.slice(equals + 1));
    const others = values.get(known);
    if (others === undefined) values.set(known, [value]);
    else others.push(value);
  }
  return new Parameters(values);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('the query string is not percent-encoded UTF-8');
  }
}
