/**
 * Where a character of a text value is in the line that the value is written in; null where that cannot be said: the
 * value goes on in other lines, or something else takes the place of a part of it.
 * @param valueAt where the value begins, with its quotes
 * @param offset in code units of the value
 */
export function writtenOffset(line: string, valueAt: number, offset: number): number | null {
  const quote = line[valueAt];
  const isQuoted = quote === '"' || quote === "'";
  if (!isQuoted && (quote === undefined || '{[|>&*!'.includes(quote))) return null;
  let at = isQuoted ? valueAt + 1 : valueAt;
  for (let left = offset; left > 0; left--) {
    if (at >= line.length || line.startsWith('&{', at)) return null;
    if (quote === '"' && line[at] === '\\') at += line[at + 1] === 'u' ? 6 : 2;
    else if (quote === "'" && line.startsWith("''", at)) at += 2;
    else if (line[at] === quote && isQuoted) return null;
    else at++;
  }
  return at < line.length ? at : null;
}
