import { createInterface } from 'node:readline';
import type { Problem } from '../../contract/problem.ts';
import type { RequestDescription } from '../../dataplane/dry-run/described-exchange.ts';
import type { CannedResponse } from '../actions/script-trial.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand, type Reading } from './command.ts';

/** The request that expressions are evaluated for unless another one is given. */
const SAMPLE: RequestDescription = {
  method: 'GET',
  uri: 'http://gw.test/a/b?x=1&y=two',
  headers: { 'X-Num': '42', 'X-Str': 'abc', 'X-Empty': '' },
};

/** What came of an expression, in the words of the public vectors. */
interface Row {
  readonly outcome: 'value' | 'evalError' | 'parseError';
  readonly type: string;
  /** JSON text. */
  readonly value: string;
  readonly asCondition: boolean;
  readonly message?: string;
  /** What its writer should know, as a route would say it. */
  readonly warnings: readonly string[];
}

type Judge = (source: string) => Row;

/** Evaluates expressions as a route would. */
export const evalCommand = defineCommand({
  name: 'eval',
  summary: 'evaluate an expression or run a script for a request',
  description:
    'Evaluates a runtime expression as a route does, tokens included, and prints its value. The request is GET ' +
    'http://gw.test/a/b?x=1&y=two with X-Num: 42, X-Str: abc and an empty X-Empty, or one that a JSON file describes: ' +
    'an object with "method", "uri", "headers", "entity" and "client", all optional. With --script it runs a script, ' +
    'and prints its log lines, its requests and its result. Nothing is sent: next and http get the response of ' +
    '--response.',
  arguments: [
    {
      name: 'EXPR',
      description: 'Text with ${…} in it; quote it for the shell. Not with --jsonl or --script.',
      optional: true,
    },
  ],
  options: {
    request: {
      valueName: 'FILE',
      description: 'JSON file that describes the request, or the JSON object itself.',
      optional: true,
      read: readFileName,
    },
    script: {
      valueName: 'FILE',
      description: 'Script to run, such as a.groovy or a.js.',
      optional: true,
      read: readFileName,
    },
    as: {
      valueName: 'TYPE',
      description: 'Type of the object that the script belongs to.',
      default: 'ScriptableFilter',
      read: readFileName,
    },
    args: {
      valueName: 'FILE',
      description: 'JSON file with the arguments of the script, or the JSON object itself.',
      optional: true,
      read: readFileName,
    },
    response: {
      valueName: 'FILE',
      description:
        'JSON file with the response for next and http ("status", "headers", "entity"), or an array of them, in ' +
        'turn; or the JSON itself. By default an empty 200.',
      optional: true,
      read: readFileName,
    },
    token: {
      valueName: 'TOKEN',
      description: 'Access token, for a ScriptableAccessTokenResolver.',
      default: 'token',
      read: readFileName,
    },
    claims: {
      valueName: 'FILE',
      description:
        'JSON file with the claims of the JWT, or the JSON object itself, for a ScriptableJwtValidatorCustomizer.',
      optional: true,
      read: readFileName,
    },
    json: { flag: true, description: 'Print outcome, type, value and the result as a condition, as JSON.' },
    jsonl: {
      flag: true,
      description: 'Read rows {"expr": …} from the standard input and print the output of --json for each of them.',
    },
    system: systemOption,
  },
  examples: [
    {
      command: 'gatewarden eval \'${find(request.uri.path, "^/a")}\'',
      effect: 'Print true: the path of the sample request begins with /a.',
    },
    {
      command: 'gatewarden eval \'${request.headers["X-Num"][0] + 1}\' --json',
      effect: 'Print {"outcome":"value","type":"Long","value":43,"asCondition":false}.',
    },
    {
      command: 'gatewarden eval --script filter.groovy --request \'{"uri": "/orders"}\' --response \'{"status": 404}\'',
      effect: 'Run a script as a filter for a request to /orders, in front of a backend that answers with 404.',
    },
  ],
  async run({ request, json, jsonl, system, ...trial }, { EXPR: source }) {
    if (trial.script !== undefined) {
      if (source !== undefined || jsonl) throw new Error('takes no expression and no --jsonl with --script');
      return runScript({ ...trial, script: trial.script, request, json, system: Object.fromEntries(system) });
    }
    const judge = await expressionJudge(request, Object.fromEntries(system));
    if (jsonl) {
      if (source !== undefined) throw new Error('takes no expression with --jsonl');
      return judgeLines(judge);
    }
    if (source === undefined)
      throw new Error('needs an expression, --script, or --jsonl and rows on the standard input');
    if (/^[^$#\s]+\.(?:groovy|m?js)$/.test(source))
      process.stderr.write(
        `gatewarden eval: warning: this is a text without an expression; to run a script: --script ${source}\n`,
      );
    const row = judge(source);
    for (const warning of row.warnings) process.stderr.write(`gatewarden eval: warning: ${warning}\n`);
    return json ? printJson(row) : printText(row);
  },
});

/** What evaluates; loaded here and not at the top, so that help need not wait for the engine. */
async function expressionJudge(file: string | undefined, system: Readonly<Record<string, string>>): Promise<Judge> {
  const { compileExpression } = await import('../../contract/expression/expression.ts');
  const { tokenResolver } = await import('../../contract/document/token-resolver.ts');
  const { substituteTokens } = await import('../../contract/document/tokens.ts');
  const { EvaluationError, valueType } = await import('../../contract/expression/value.ts');
  const { ValueProblem } = await import('../../contract/problem.ts');
  const { noteExpression } = await import('../../dataplane/heap/remarks.ts');
  const { bareReading } = await import('../actions/bare-reading.ts');
  const { describedExchange, readRequestDescription } = await import('../../dataplane/dry-run/described-exchange.ts');
  const { valueJson } = await import('../../dataplane/language/value-json.ts');

  const description =
    file === undefined ? SAMPLE : await given('--request', async () => readRequestDescription(await jsonText(file)));
  const { reach, reading } = bareReading(system);
  const language = reading.runtime;
  const tokens = tokenResolver(null, { reach, files: new Map(), instanceUrl: null, allowed: new Map() });

  function substituted(source: string): string {
    const refuse = ({ code, message, hint }: Problem): never => {
      throw new ValueProblem(code, message, hint);
    };
    return String(substituteTokens(source, tokens.resolve, refuse, [], tokens.names));
  }

  return (source) => {
    const warnings: string[] = [];
    const report = ({ message, hint }: Problem): void => {
      warnings.push(hint === undefined ? message : `${message}; ${hint}`);
    };
    const nothing = { type: 'null', value: 'null', asCondition: false, warnings };
    try {
      const expression = compileExpression(substituted(source), language, 'bounded');
      noteExpression({ compiled: expression, remarks: expression.remarks }, [], { reading, report });
      // Each expression sees the request as described, whatever an earlier one did with it.
      const value = expression.evaluate(describedExchange(description), null);
      return {
        outcome: 'value',
        type: valueType(value),
        value: valueJson(value, language.shapes),
        asCondition: value === true,
        warnings,
      };
    } catch (error) {
      if (error instanceof ValueProblem) {
        const hint = error.hint === undefined ? '' : `; ${error.hint}`;
        return { ...nothing, outcome: 'parseError', message: `${error.message}${hint}` };
      }
      if (!(error instanceof EvaluationError)) throw error;
      return { ...nothing, outcome: 'evalError', type: error.exception ?? 'null', message: error.message };
    }
  };
}

interface ScriptOptions {
  readonly script: string;
  readonly as: string;
  readonly request: string | undefined;
  readonly args: string | undefined;
  readonly response: string | undefined;
  readonly token: string;
  readonly claims: string | undefined;
  readonly json: boolean;
  readonly system: Readonly<Record<string, string>>;
}

async function runScript(options: ScriptOptions): Promise<number> {
  const { scriptTypes, tryScript } = await import('../actions/script-trial.ts');
  const { ValueProblem } = await import('../../contract/problem.ts');
  const { bareReading } = await import('../actions/bare-reading.ts');
  const { describedExchange, readRequestDescription } = await import('../../dataplane/dry-run/described-exchange.ts');
  const { scriptTrialText } = await import('../output/script-trial-text.ts');
  const { readFileSync } = await import('node:fs');
  const { script: file, as, request, args, response, token, claims, json, system } = options;
  const kind = Object.hasOwn(scriptTypes, as) ? scriptTypes[as] : undefined;
  if (kind === undefined) throw new Error(`--as must be one of ${Object.keys(scriptTypes).join(', ')}`);
  const description =
    request === undefined
      ? SAMPLE
      : await given('--request', async () => readRequestDescription(await jsonText(request)));
  const canned: unknown =
    response === undefined
      ? {}
      : await given('--response', async () => JSON.parse(await jsonText(response)) as unknown);
  const responses: unknown[] = Array.isArray(canned) ? canned : [canned];
  if (!responses.every(isObject)) throw new Error('--response must be a JSON object, or an array of them');
  const { reach, reading } = bareReading(system);
  try {
    const trial = await tryScript({
      file,
      text: await given('--script', async () => readFileSync(file, 'utf8')),
      kind,
      exchange: describedExchange(description),
      responses: responses as CannedResponse[],
      args: new Map(Object.entries(await jsonObject('--args', args))),
      token,
      claims: await jsonObject('--claims', claims),
      shapes: reading.runtime.shapes,
      reach,
    });
    process.stdout.write(`${json ? JSON.stringify(trial) : scriptTrialText(trial)}\n`);
    return trial.result.kind === 'failed' ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    process.stderr.write(`gatewarden eval: ${error.message}\n`);
    return 1;
  }
}

/** The object of an option; an empty one without it. */
async function jsonObject(option: string, value: string | undefined): Promise<Record<string, unknown>> {
  if (value === undefined) return {};
  const read = await given(option, async () => JSON.parse(await jsonText(value)) as unknown);
  if (!isObject(read)) throw new Error(`${option} must be a JSON object`);
  return read;
}

/** The value of an option; an error names the option. */
async function given<T>(option: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`${option}: ${error.message}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A file, or JSON in its place. */
async function jsonText(value: string): Promise<string> {
  if (/^\s*[{[]/.test(value)) return value;
  const { readFileSync } = await import('node:fs');
  return readFileSync(value, 'utf8');
}

async function judgeLines(judge: Judge): Promise<number> {
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    process.stdout.write(`${rowJson(judge(expressionIn(line, number)))}\n`);
  }
  return 0;
}

function expressionIn(line: string, number: number): string {
  let row: unknown = null;
  try {
    row = JSON.parse(line);
  } catch {
    // falls to the check below, which names the line
  }
  if (typeof row === 'object' && row !== null && 'expr' in row && typeof row.expr === 'string') return row.expr;
  throw new Error(`line ${number} of the standard input is not a row {"expr": "…"}`);
}

function printJson(row: Row): number {
  process.stdout.write(`${rowJson(row)}\n`);
  return row.outcome === 'value' ? 0 : 1;
}

function printText(row: Row): number {
  if (row.outcome !== 'value') {
    const what = row.outcome === 'parseError' ? 'not an expression' : 'the evaluation failed';
    process.stderr.write(`gatewarden eval: ${what}: ${row.message}\n`);
    return 1;
  }
  process.stdout.write(`${row.type === 'String' ? JSON.parse(row.value) : row.value}\n`);
  return 0;
}

function rowJson({ outcome, type, value, asCondition }: Row): string {
  return `{"outcome":"${outcome}","type":"${type}","value":${value},"asCondition":${asCondition}}`;
}

function readFileName(text: string): Reading<string> {
  return text === '' ? { problem: 'must be a file' } : { value: text };
}
