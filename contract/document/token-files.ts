import { type Problem, pathText } from '../problem.ts';
import type { Reach } from '../reach.ts';
import type { PlacedProblem } from './document-text.ts';
import { flatTokens } from './flat-tokens.ts';
import { readJsonText } from './json-text.ts';
import { isJsonObject } from './json-value.ts';
import { readPropertiesText } from './properties-text.ts';

/**
 * The tokens of the files in the directories that `IG_ENVCONFIG_DIRS` or else the system property `ig.envconfig.dirs`
 * lists, separated by commas: `.json` files flattened with dots, `.properties` files as they are, other files not at
 * all. A token that two files give is an error, because nothing says which of them is meant.
 */
export function readTokenFiles(reach: Reach, report: (problem: Problem) => void): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  const givenBy = new Map<string, string>();
  const directories = reach.env('IG_ENVCONFIG_DIRS') ?? reach.system('ig.envconfig.dirs') ?? '';
  for (const directory of new Set(directories.split(',').map((part) => part.trim().replace(/(?<=.)\/+$/, '')))) {
    if (directory !== '') readDirectory(directory);
  }
  return tokens;

  function readDirectory(directory: string): void {
    const names = reach.listDirectory(directory);
    if (names === null) fault('token', `the directory of token files cannot be read: ${directory}`);
    for (const name of (names ?? []).filter((candidate) => /\.(?:json|properties)$/.test(candidate)).sort()) {
      readFile(`${directory}/${name}`);
    }
  }

  function readFile(file: string): void {
    const bytes = reach.readFile(file);
    if (bytes === null) {
      fault('token', `the token file cannot be read: ${file}`);
      return;
    }
    for (const [name, text] of file.endsWith('.json') ? readJson(file, bytes) : readProperties(file, bytes)) {
      const other = givenBy.get(name);
      if (other !== undefined) fault('token', `the token '${name}' is given by ${other} and by ${file}`);
      givenBy.set(name, file);
      tokens.set(name, text);
    }
  }

  function readJson(file: string, bytes: Uint8Array): Iterable<readonly [string, string]> {
    const { value, problems } = readJsonText(bytes);
    for (const problem of problems) told(file, problem);
    if (isJsonObject(value)) return flatTokens(value);
    if (problems.length === 0) fault('token', `the token file must hold an object: ${file}`);
    return [];
  }

  function readProperties(file: string, bytes: Uint8Array): Iterable<readonly [string, string]> {
    return readPropertiesText(bytes, (problem) => told(file, problem));
  }

  /** The path is one of another document than the one whose tokens are read, so the message has to say it. */
  function told(file: string, { code, path, message, place }: PlacedProblem): void {
    const line = place === undefined ? '' : `:${place.line}`;
    const where = pathText(path);
    fault(code, `${file}${line}: ${where === '' ? '' : `${where} `}${message}`);
  }

  function fault(code: Problem['code'], message: string): void {
    report({ code, severity: 'error', path: [], message });
  }
}
