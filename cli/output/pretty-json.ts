/** JSON in lines for people: what fits into the width stays on one line. */
export function prettyJson(value: unknown, width: number): string[] {
  return lines(value, '', '', width);
}

function lines(value: unknown, prefix: string, suffix: string, width: number): string[] {
  const whole = `${prefix}${inline(value)}${suffix}`;
  if (typeof value !== 'object' || value === null || whole.length <= width) return [whole];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
  const inner = entries.flatMap(([head, item], at) => lines(item, head, at + 1 < entries.length ? ',' : '', width - 2));
  return [`${prefix}${open}`, ...inner.map((line) => `  ${line}`), `${close}${suffix}`];
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
