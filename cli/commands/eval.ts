import { createInterface } from 'node:readline';
import type { Problem } from '../../contract/problem.ts';
import { systemOption } from '../options/system-property.ts';
import type { RequestDescription } from '../output/described-exchange.ts';
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
  summary: 'evaluate an expression for a request',
  description:
    'Evaluates a runtime expression as a route does, tokens included, and prints its value. The request is GET ' +
    'http://gw.test/a/b?x=1&y=two with X-Num: 42, X-Str: abc and an empty X-Empty, or one that a JSON file describes: ' +
    'an object with "method", "uri", "headers", "entity" and "client", all optional.',
  arguments: [
    { name: 'EXPR', description: 'Text with ${…} in it; quote it for the shell. Not with --jsonl.', optional: true },
  ],
  options: {
    request: {
      valueName: 'FILE',
      description: 'JSON file that describes the request.',
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
  ],
  async run({ request, json, jsonl, system }, { EXPR: source }) {
    const judge = await expressionJudge(request, Object.fromEntries(system));
    if (jsonl) {
      if (source !== undefined) throw new Error('takes no expression with --jsonl');
      return judgeLines(judge);
    }
    if (source === undefined) throw new Error('needs an expression, or --jsonl and rows on the standard input');
    const row = judge(source);
    for (const warning of row.warnings) process.stderr.write(`gatewarden eval: warning: ${warning}\n`);
    return json ? printJson(row) : printText(row);
  },
});

/** What evaluates; loaded here and not at the top, so that help need not wait for the engine. */
async function expressionJudge(file: string | undefined, system: Readonly<Record<string, string>>): Promise<Judge> {
  const { readFileSync } = await import('node:fs');
  const { compileExpression } = await import('../../contract/expression/expression.ts');
  const { tokenResolver } = await import('../../contract/document/token-resolver.ts');
  const { substituteTokens } = await import('../../contract/document/tokens.ts');
  const { EvaluationError, valueType } = await import('../../contract/expression/value.ts');
  const { ValueProblem } = await import('../../contract/problem.ts');
  const { operatorReach } = await import('../../dataplane/unit/operator-reach.ts');
  const { noteExpression } = await import('../../dataplane/heap/remarks.ts');
  const { documentReading } = await import('../../dataplane/routes/document-reading.ts');
  const { describedExchange, readRequestDescription } = await import('../output/described-exchange.ts');
  const { valueJson } = await import('../output/value-json.ts');

  const description = file === undefined ? SAMPLE : readRequestDescription(readFileSync(file, 'utf8'));
  const nowhere = { instance: '', config: '', temp: '' };
  const reach = { ...operatorReach({ env: process.env, system, directories: nowhere }), directories: null };
  const reading = documentReading(reach, [], () => {});
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
