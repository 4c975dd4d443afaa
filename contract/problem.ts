/**
 * What can be wrong with a document. The codes are stable: tools and people search for them, and docs/errors.md says
 * what each of them means, which a test holds to this list.
 */
export const problemCodes = [
  'text',
  'duplicate-key',
  'value',
  'missing',
  'unknown-field',
  'unavailable-field',
  'deprecated-field',
  'no-effect',
  'exclusive',
  'token',
  'transformation',
  'property',
  'expression',
  'pattern',
  'duration',
  'unknown-type',
  'unavailable-type',
  'kind',
  'name',
  'duplicate-name',
  'reference',
  'cycle',
  'decoration',
  'not-allowed',
  'insecure',
  'route-name',
  'build',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

const ABOUT_KEYS: ReadonlySet<string> = new Set<ProblemCode>([
  'duplicate-key',
  'unknown-field',
  'unavailable-field',
  'deprecated-field',
  'no-effect',
  'exclusive',
  'decoration',
]);

/** Tells problems of a key that was written from those of its value. */
export function isAboutKey(code: string): boolean {
  return ABOUT_KEYS.has(code);
}

/** A key of an object or an index of an array. */
export type Step = string | number;
/** Where in a document something is, from its top. */
export type Path = readonly Step[];

/** Where in a file something is; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, or that the writer should know. An error makes its document unusable, a warning does not. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: 'error' | 'warning';
  /** Where in the document it is. */
  readonly path: Path;
  readonly message: string;
  /** What to do about it, where that is known: "did you mean 'accessTokenResolver'?" */
  readonly hint?: string;
  /** What else it is about, such as the other end of a cycle or of a duplicate. */
  readonly others?: readonly Path[];
}

/** A path as people read it: `handler.config.filters[0]`; the document itself is the empty text. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w$:-]+$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Thrown by what reads one value, for whoever knows the path of that value to turn into a problem. */
export class ValueProblem extends Error {
  readonly code: ProblemCode;
  readonly hint: string | undefined;
  /** Where in the value it is, in code units from its beginning. */
  readonly offset: number | undefined;

  constructor(code: ProblemCode, message: string, hint?: string, offset?: number) {
    super(message);
    this.name = 'ValueProblem';
    this.code = code;
    this.hint = hint;
    this.offset = offset;
  }
}
