/** Longest name of a table or column, in bytes. */
const LONGEST = 63;
const PLAIN = /^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/;

/**
 * Reads the name of a table or column as SQL does: a plain name is in lower case, one in double quotes is as it stands.
 * A table may have its schema before it.
 *
 * @returns the name in quotes, safe in any statement; null for anything else
 */
export function sqlName(text: string, parts = 1): string | null {
  const names = text.match(/"(?:[^"]|"")*"|[^."]+|\.|"/g) ?? [];
  if (names.length === 0 || names.length > parts * 2 - 1) return null;
  const quoted = names.map((name, at) => (at % 2 === 1 ? (name === '.' ? '' : null) : quotedName(name)));
  if (names.length % 2 === 0 || quoted.includes(null)) return null;
  return quoted.filter((_, at) => at % 2 === 0).join('.');
}

function quotedName(name: string): string | null {
  const isQuoted = name.startsWith('"') && name.endsWith('"') && name.length > 2;
  if (!isQuoted && !PLAIN.test(name)) return null;
  const meant = isQuoted ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  if (meant.includes('\0') || Buffer.byteLength(meant) > LONGEST) return null;
  return `"${meant.replaceAll('"', '""')}"`;
}
