import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';

/** A file that cannot be replayed: the message names it, and says what would be right. */
export class WrongVectorFile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongVectorFile';
  }
}

/** Returns the text of a file. @throws WrongVectorFile */
export function vectorText(file: string | URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new WrongVectorFile(`cannot read ${nameOf(file)}: ${(error as Error).message}`);
  }
}

/**
 * Returns the text of a file with a JSON object in each line.
 *
 * @param members that every row of the suite has; of alternatives, as `a|b`, one is enough
 * @throws WrongVectorFile for anything else
 */
export function vectorLines(suite: string, file: string | URL, members: readonly string[]): string {
  const text = vectorText(file);
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const row = objectIn(line);
    const place = `${nameOf(file)}:${at + 1}`;
    if (row === null)
      throw new WrongVectorFile(`${place}: a file of the suite '${suite}' has a JSON object in each line`);
    const missing = missingOf(row, members);
    if (missing.length > 0) {
      throw new WrongVectorFile(
        `${place}: this is no row of the suite '${suite}', because it has no ${missing.join(', ')}`,
      );
    }
  }
  if (text.trim() === '') throw new WrongVectorFile(`${nameOf(file)}: the file has no rows`);
  return text;
}

/** Returns a file that is one JSON object. @throws WrongVectorFile for anything else */
export function vectorObject(suite: string, file: string | URL, members: readonly string[]): JsonObject {
  const object = objectIn(vectorText(file));
  if (object === null) throw new WrongVectorFile(`${nameOf(file)}: a file of the suite '${suite}' is one JSON object`);
  const missing = missingOf(object, members);
  if (missing.length === 0) return object;
  throw new WrongVectorFile(
    `${nameOf(file)}: this is no file of the suite '${suite}', because it has no ${missing.join(', ')}`,
  );
}

function missingOf(row: JsonObject, members: readonly string[]): string[] {
  return members.filter((member) => !member.split('|').some((name) => Object.hasOwn(row, name)));
}

function objectIn(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function nameOf(file: string | URL): string {
  return typeof file === 'string' ? file : fileURLToPath(file);
}
