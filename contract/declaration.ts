import { isJsonObject, type JsonObject, type JsonValue, kindOf } from './document/json-value.ts';
import type { Path, Problem } from './problem.ts';
import { isComment } from './vocabulary/survey.ts';

/** An object as a document declares it. */
export interface Declaration {
  /** Null for one that is declared in place and not named. */
  readonly name: string | null;
  readonly type: string;
  readonly config: JsonObject;
  /** What decorates it, in the order written. */
  readonly decorations: readonly Decoration[];
  readonly path: Path;
}

/** A key beside `name`, `type` and `config`: the name of a decorator, and what it is told. */
export interface Decoration {
  readonly name: string;
  readonly value: JsonValue;
  readonly path: Path;
}

/** Reads `{name, type, config, …}`; null when it is no declaration, which has been reported. */
export function readDeclaration(
  raw: JsonValue,
  path: Path,
  named: boolean,
  report: (problem: Problem) => void,
): Declaration | null {
  const error = (code: Problem['code'], at: Path, message: string): null => {
    report({ code, severity: 'error', path: at, message });
    return null;
  };
  if (!isJsonObject(raw)) return error('value', path, `must be an object with 'type', not ${kindOf(raw)}`);
  const { name, type, config } = raw;
  let sound = true;
  if (name === undefined && named) {
    sound = error('missing', [...path, 'name'], 'is required: an object in a heap is found by its name') !== null;
  } else if (name !== undefined && (typeof name !== 'string' || name === '')) {
    const message = name === '' ? 'must not be empty' : `must be a text, not ${kindOf(name)}`;
    sound = error('name', [...path, 'name'], message) !== null;
  }
  if (typeof type !== 'string' || type === '') {
    sound =
      error(type === undefined ? 'missing' : 'value', [...path, 'type'], 'must name the type of the object') !== null;
  }
  if (config !== undefined && config !== null && !isJsonObject(config)) {
    sound = error('value', [...path, 'config'], `must be an object, not ${kindOf(config)}`) !== null;
  }
  if (!sound) return null;
  return {
    name: typeof name === 'string' ? name : null,
    type: type as string,
    config: isJsonObject(config) ? config : {},
    decorations: decorationsOf(raw, path, DECLARED),
    path,
  };
}

const DECLARED: ReadonlySet<string> = new Set(['name', 'type', 'config']);

/** The keys of an object that name decorators: all but the reserved ones and the writer's own remarks. */
export function decorationsOf(raw: JsonObject, path: Path, reserved: ReadonlySet<string>): Decoration[] {
  return Object.keys(raw)
    .filter((key) => !reserved.has(key) && !isRemark(key))
    .map((name) => ({ name, value: raw[name]!, path: [...path, name] }));
}

/** Names with a dot or a dash are the writer's own, as comments are. */
function isRemark(key: string): boolean {
  return isComment(key) || key.includes('.') || key.includes('-');
}
