import { fileURLToPath } from 'node:url';
import { pathText, ValueProblem } from '../problem.ts';
import type { Reach } from '../reach.ts';
import type { PlacedProblem } from './document-text.ts';
import { readJsonText } from './json-text.ts';
import { type JsonValue, kindOf, setMember } from './json-value.ts';
import { readPropertiesText } from './properties-text.ts';

/**
 * The content of a `.json` or `.properties` file that a path or a `file:` URL names; a relative path begins at the
 * configuration directory. @throws ValueProblem with the code 'property'.
 */
export function readLocation(location: JsonValue, reach: Reach): JsonValue {
  if (typeof location !== 'string') throw bad(`must be the name of a file and not ${kindOf(location)}`);
  const file = filePath(location, reach);
  const isJson = file.endsWith('.json');
  if (!isJson && !file.endsWith('.properties')) throw bad(`must name a .json or .properties file, not ${location}`);
  const bytes = reach.readFile(file);
  if (bytes === null) throw bad(`names a file that cannot be read: ${file}`);
  return isJson ? readJson(file, bytes) : readProperties(file, bytes);
}

function filePath(location: string, reach: Reach): string {
  if (/^file:/i.test(location)) {
    try {
      return fileURLToPath(location);
    } catch {
      throw bad(`is not a URL of a file: ${location}`);
    }
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(location)) throw bad(`must name a file, not ${location}`);
  const isAbsolute = location.startsWith('/');
  return isAbsolute || reach.directories === null ? location : `${reach.directories.config}/${location}`;
}

function readJson(file: string, bytes: Uint8Array): JsonValue {
  const { value, problems } = readJsonText(bytes);
  if (problems[0] !== undefined) throw faulty(file, problems[0]);
  return value;
}

function readProperties(file: string, bytes: Uint8Array): JsonValue {
  const object: Record<string, JsonValue> = {};
  const values = readPropertiesText(bytes, (problem) => {
    throw faulty(file, problem);
  });
  for (const [key, value] of values) setMember(object, key, value);
  return object;
}

function faulty(file: string, { place, path, message }: PlacedProblem): ValueProblem {
  const { line, column } = place ?? { line: 1, column: 1 };
  const where = path.length === 0 ? '' : `${pathText(path)} `;
  return bad(`names a file with a problem: ${file}:${line}:${column}: ${where}${message}`);
}

function bad(message: string): ValueProblem {
  return new ValueProblem('property', message);
}
