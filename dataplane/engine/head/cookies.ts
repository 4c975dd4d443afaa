/** Cookies of a request by name, values in the order sent (RFC 6265 §5.4); a value keeps its quotes off. */
export function parseCookies(lines: readonly string[]): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of lines.join(';').split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim();
    if (name === '') continue;
    const value = pair.slice(equals + 1).trim();
    const bare = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
    const values = cookies.get(name);
    if (values === undefined) cookies.set(name, [bare]);
    else values.push(bare);
  }
  return cookies;
}
