import { basename, dirname, resolve as resolvePath } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../../contract/did-you-mean.ts';
import { kindOf } from '../../contract/document/json-value.ts';
import type { Shapes } from '../../contract/expression/language.ts';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { readConfigured, shown, wrongType } from '../../contract/vocabulary/configured.ts';
import { exclusive, oneRequired } from '../../contract/vocabulary/groups.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';
import { Reference, ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { languageOf, mediaTypes } from './languages.ts';
import {
  type HeapObjectUse,
  type Program,
  type ScriptKind,
  type ScriptLanguage,
  ScriptMistake,
} from './script-language.ts';

/** Longest script, in characters: compiling it holds the thread. */
const MOST_SOURCE = 128 * 1024;

/** An argument that is an object of the heap. */
const HEAP_OBJECT = /^\s*[$#]\{\s*heap\s*(?:\[\s*(?:'([^'\\]+)'|"([^"\\]+)")\s*\]|\.\s*([A-Za-z_$][\w$]*))\s*\}\s*$/;

/** Kinds of objects that scripts can use. */
const USABLE: readonly HeapObjectUse['kind'][] = ['handler', 'clock', 'auditService'];

/** Deepest nesting of arguments. */
const MOST_NESTING = 32;

/** A script that was compiled when its document was read. */
export class ScriptText {
  readonly language: ScriptLanguage;
  /** The file as the document names it, or null for a script in the document. */
  readonly file: string | null;
  /** Null where the file cannot be read by whoever checks the document. */
  readonly program: Program | null;
  readonly text: string;
  /** Properties of the document and of those around it, which scripts see as variables. */
  readonly properties: ReadonlyMap<string, unknown>;
  /** Shapes of the objects in contexts. */
  readonly shapes: Shapes;

  constructor(language: ScriptLanguage, file: string | null, text: string, program: Program | null) {
    this.language = language;
    this.file = file;
    this.text = text;
    this.program = program;
    const { configuration, runtime } = theReading();
    this.properties = configuration.constants;
    this.shapes = runtime.shapes;
  }
}

/** Compiles a script, in one way or another. @throws ValueProblem with the place of a mistake */
export function compiling<T>(text: string, file: string | null, compile: (text: string) => T): T {
  if (text.length > MOST_SOURCE)
    throw new ValueProblem('value', `a script must have at most ${MOST_SOURCE} characters, not ${text.length}`);
  try {
    return compile(text);
  } catch (error) {
    if (!(error instanceof ScriptMistake)) throw error;
    throw new ValueProblem('value', mistakeText(error, file));
  }
}

function mistakeText({ line, column, message }: ScriptMistake, file: string | null): string {
  return `${file ?? 'the script'}, line ${line}, column ${column}: ${message}`;
}

/** The place of a script file: relative names are below the folder of the language in `scripts` of the instance. */
export function scriptPath(file: string, { folder }: ScriptLanguage, { directories }: Reach): string | null {
  if (file.startsWith('/')) return file;
  return directories === null ? null : resolvePath(directories.instance, 'scripts', folder, file);
}

/** Language of the object that is being read: `type` is the first field, and the schema library shows no siblings. */
let language: ScriptLanguage | null = null;

function mediaType(): z.ZodType<string, unknown> {
  const wanted = mediaTypes.map((type) => `'${type}'`).join(', ');
  return leaf('configuration expression<string>', { type: 'string', enum: [...mediaTypes] }, (value) => {
    language = null;
    return readConfigured(value, (type) => {
      language = typeof type === 'string' ? languageOf(type) : null;
      if (language !== null) return type as string;
      throw wrongType(wanted, type);
    });
  });
}

function sourceText(): z.ZodType<ScriptText | null, unknown> {
  const json = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  return leaf('string, or array of strings', json, (value) => {
    const lines: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = lines.find((line) => typeof line !== 'string');
    if (wrong !== undefined) throw wrongType('a text, or an array of lines', wrong);
    const text = lines.join('\n');
    return scriptText(null, text);
  });
}

function fileText(): z.ZodType<ScriptText | null, unknown> {
  return leaf('configuration expression<path>', { type: 'string', minLength: 1 }, (value) => {
    const { reach } = theReading();
    if (reach.origin === 'tenant') {
      throw new ValueProblem(
        'not-allowed',
        'is for operators only: it is a file on the machine of the data plane',
        "write the script into 'source'",
      );
    }
    return readConfigured(value, (file) => {
      if (typeof file !== 'string' || file === '') throw wrongType('a path', file);
      if (language === null) return null;
      const path = scriptPath(file, language, reach);
      if (path === null) return new ScriptText(language, file, '', null);
      const content = reach.readFile(path);
      if (content === null) throw unreadFile(file, path, language, reach);
      return scriptText(file, Buffer.from(content).toString('utf8'));
    });
  });
}

function unreadFile(file: string, path: string, { folder }: ScriptLanguage, reach: Reach): ValueProblem {
  const place = file.startsWith('/') ? '' : ` below scripts/${folder} of the instance`;
  const names = reach.listDirectory(dirname(path)) ?? [];
  const name = basename(path);
  if (names.includes(name)) return new ValueProblem('value', `the file ${shown(file)}${place} cannot be read`);
  const meant = file.endsWith(name) ? didYouMean(name, names) : undefined;
  const hint = meant === undefined ? undefined : `did you mean '${file.slice(0, -name.length)}${meant}'?`;
  return new ValueProblem('value', `there is no file ${shown(file)}${place}`, hint);
}

/** Null without a language, which is a problem of `type`. */
function scriptText(file: string | null, text: string): ScriptText | null {
  const spoken = language;
  if (spoken === null) return null;
  const program = compiling(text, file, (checked) => spoken.compile(checked));
  return new ScriptText(spoken, file, text, program);
}

/** Values of arguments: texts may be expressions, which are evaluated once. */
function scriptArguments(): z.ZodType<Readonly<Record<string, unknown>>, unknown> {
  return leaf('map', { type: 'object' }, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType('a map', value);
    // References are looked for in plain objects.
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, heapReference(item) ?? argumentValue(item, 0)]),
    );
  });
}

/** `${heap['name']}` or `${heap.name}`: an object for the script. */
function heapReference(value: unknown): Reference | null {
  if (typeof value !== 'string') return null;
  const found = HEAP_OBJECT.exec(value);
  const name = found?.[1] ?? found?.[2] ?? found?.[3];
  if (name === undefined) return null;
  return new Reference('any', name, null, [], false, USABLE);
}

function argumentValue(value: unknown, depth: number): unknown {
  if (depth > MOST_NESTING) throw new ValueProblem('value', `is nested deeper than ${MOST_NESTING} levels`);
  if (typeof value === 'string') return readConfigured(value, (result) => result);
  if (Array.isArray(value)) return value.map((item) => argumentValue(item, depth + 1));
  if (kindOf(value) !== 'an object') return value;
  return new Map(Object.entries(value as object).map(([name, item]) => [name, argumentValue(item, depth + 1)]));
}

/** The fields of every object that runs a script. */
const fields = z
  .strictObject({
    type: mediaType().describe(
      'Media type of the script: `application/x-groovy` for Groovy, `application/javascript` for JavaScript.',
    ),
    file: fileText()
      .optional()
      .describe(
        'File of the script, relative to `scripts/groovy` or `scripts/javascript` of the instance. A changed file is ' +
          'compiled again within a second; one with an error is not used. Operators only.',
      ),
    source: sourceText().optional().describe('Script; each item of an array is a line.'),
    args: scriptArguments()
      .optional()
      .describe(
        'Variables of the script, by name. Expressions are evaluated once, when the document is loaded. ' +
          "`${heap['name']}` is an object of the heap: a handler, a clock or an audit service.",
      ),
    clientHandler: ref('handler')
      .prefault('ClientHandler')
      .describe('Handler for requests that the script sends with `http`.'),
  })
  .check(exclusive('file', 'source'))
  .check(oneRequired('file', 'source'));

export type ScriptConfig = z.output<typeof fields>;

/** The fields of objects of one kind. Arguments have names that the variables of the gateway leave free. */
export function scriptFields(kind: ScriptKind) {
  return fields.check(
    rulesAbout<ScriptConfig>(['type', 'file', 'source', 'args'], ({ source, file, args = {} }, add) => {
      const script = source ?? file ?? null;
      const isGiven = (name: string): boolean => Object.hasOwn(args, name) || script?.properties.has(name) === true;
      const missing = script?.program?.missing?.(kind, isGiven) ?? null;
      if (missing !== null) add([script!.file === null ? 'source' : 'file'], mistakeText(missing, script!.file));
      for (const name of Object.keys(args)) {
        const problem = script?.language.argumentProblem(kind, name) ?? null;
        if (problem !== null) add(['args', name], `${problem}; choose another one`);
      }
    }),
  );
}

/** The script of an object. */
export function scriptOf({ source, file }: ScriptConfig): ScriptText {
  return (source ?? file)!;
}
