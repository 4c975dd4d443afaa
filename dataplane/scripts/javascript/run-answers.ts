/** Answers of the gateway to calls of a script that need no waiting. */
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Value as ExpressionValue } from '../../../contract/expression/value.ts';
import {
  type HeapObjectUse,
  type LogLevel,
  type ScriptCall,
  ScriptFault,
  type ScriptSetting,
} from '../script-language.ts';
import { contextNames, contextValue } from './contexts.ts';
import type { Given, HostArguments } from './given-to-host.ts';
import { isLine } from './header-changes.ts';
import { changeHeader, reasonOf, type SeenMessage, seenHeader, seenLines, seenValues, shownUri } from './messages.ts';
import { gatewayValue, hasMoreValues, passedText, plainValue } from './plain-values.ts';
import { operation, shared } from './prelude/operations.ts';
import type { RunBudget } from './run-budget.ts';

/** Most characters of a message or another value that a script hands over. */
const MOST_TEXT = 8 * 1024 * 1024;

/** Most objects, arrays and items of a value other than a message: here they are larger than in QuickJS. */
const MOST_VALUES = 20_000;

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error']);

/** Parts of a script that the answers to its runs need. */
export interface SharedParts {
  readonly setting: ScriptSetting;
  /** Names of further variables, in the order of the function of the script. */
  readonly variables: readonly string[];
  /** Objects of the heap that the script uses, by number. */
  readonly heap: readonly HeapObjectUse[];
}

/** A run whose script asks. */
export interface AnsweredRun {
  readonly home: SharedParts;
  readonly call: ScriptCall;
  readonly budget: RunBudget;
  /** Messages that came to the script, by number. */
  readonly messages: readonly SeenMessage[];
}

/** @throws ScriptFault */
export function answerRun(run: AnsweredRun, name: number, given: HostArguments): Given | undefined {
  switch (name) {
    case operation.header:
      return header(run, given.number(0), given.text(1), ', ');
    case operation.headerLines:
      return header(run, given.number(0), given.text(1), '\n');
    case operation.setHeader:
      return setHeader(run, given);
    case operation.headers:
      return headers(run, given.number(0));
    case operation.field:
      return field(run, given.number(0), given.number(1));
    case operation.contextNames:
      return JSON.stringify(contextNames(run.call.exchange));
    case operation.context: {
      const value = contextValue(run.call.exchange, given.text(0), run.home.setting.shapes);
      return value === null || value === undefined ? undefined : passedText(JSON.stringify(value));
    }
    case operation.state:
      return JSON.stringify(state(run, given.number(0)));
    case operation.store:
      return store(run, given.number(0), readValues(given, 1));
    case operation.log:
      return log(run, given.text(0), readJson(given, 1));
    case operation.clock:
      return clock(run, given.number(0));
    case operation.publish:
      return publish(run, given.number(0), readValues(given, 1));
    default:
      return undefined;
  }
}

function header(run: AnsweredRun, id: number, name: string, separator: string): string | undefined {
  const message = run.messages[id];
  return message === undefined ? undefined : seenHeader(message, name, separator);
}

function headers(run: AnsweredRun, id: number): string {
  const message = run.messages[id];
  return JSON.stringify(message === undefined ? [] : seenLines(message));
}

/** @returns a number if the name or the value is none */
function setHeader(run: AnsweredRun, given: HostArguments): number | undefined {
  const message = run.messages[given.number(0)];
  const name = given.text(1);
  const mode = given.number(2);
  const value = given.has(3) ? given.text(3) : null;
  const isList = mode >= 2;
  if (!isLine(name) || (value !== null && !isList && !isLine(value))) return 1;
  if (message === undefined) return undefined;
  const line = value === null ? [name] : isList ? [name, ...value.split('\n')] : [name, value];
  if (mode % 2 === 1) line.splice(1, 0, ...seenValues(message, name));
  run.budget.hold(changeHeader(message, line));
  return undefined;
}

function log(run: AnsweredRun, level: string, text: string): undefined {
  if (LEVELS.has(level)) run.call.log(level as LogLevel, text);
}

function clock(run: AnsweredRun, index: number): number | undefined {
  const used = run.home.heap[index];
  return used?.kind === 'clock' ? used.object() : undefined;
}

/** @returns what is wrong with the event, or nothing */
function publish(run: AnsweredRun, index: number, [topic, event]: [topic: string, event: unknown]): string | undefined {
  const used = run.home.heap[index];
  if (used?.kind !== 'auditService') return undefined;
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return passedText('the event is no object');
  const problem = run.call.publish(used.object, topic.replace(/^\//, ''), event as JsonObject);
  return problem === null ? undefined : passedText(problem);
}

export function readJson<T>(given: HostArguments, index: number, most = Number.POSITIVE_INFINITY): T {
  const text = given.text(index);
  if (text.length > MOST_TEXT) throw new ScriptFault(`a message of a script has at most ${MOST_TEXT} characters`);
  if (most !== Number.POSITIVE_INFINITY && hasMoreValues(text, most))
    throw new ScriptFault(`a script hands over at most ${most} values at a time`);
  return JSON.parse(text) as T;
}

export function readValues<T>(given: HostArguments, index: number): T {
  return readJson(given, index, MOST_VALUES);
}

function field(run: AnsweredRun, id: number, which: number): string | undefined {
  const { exchange, variables } = run.call;
  const { request } = exchange;
  if (which === 0) return request.method;
  if (which === 1) return shownUri(request);
  const message = run.messages[id];
  if (which === 2) return message === undefined ? undefined : reasonOf(message);
  const { shapes } = run.home.setting;
  return JSON.stringify(run.home.variables.map((name) => plainValue(variables.get(name), shapes)));
}

function state(run: AnsweredRun, which: number): Record<string, unknown> {
  const { attributes, session } = run.call.exchange;
  const { shapes } = run.home.setting;
  const entries: Iterable<readonly [string, unknown]> =
    which === shared.attributes ? attributes : (session?.names() ?? []).map((name) => [name, session!.peek(name)]);
  return Object.fromEntries([...entries].map(([name, value]) => [name, plainValue(value, shapes)]));
}

function store(
  run: AnsweredRun,
  which: number,
  { changed, gone }: { changed: [string, unknown][]; gone: string[] },
): undefined {
  const { attributes, session } = run.call.exchange;
  if (which === shared.session && session === null && changed.length > 0)
    throw new ScriptFault(`session.${changed[0]![0]} cannot be set: the route has no session`);
  for (const [name, value] of changed) {
    if (which === shared.attributes) attributes.set(name, gatewayValue(value));
    else session!.set(name, gatewayValue(value) as ExpressionValue);
  }
  for (const name of gone) {
    if (which === shared.attributes) attributes.delete(name);
    else session?.delete(name);
  }
}
