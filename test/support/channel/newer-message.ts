/** What people name the keys of: there, a key that nobody knows is theirs. */
const FREE = new Set(['document', 'admin', 'labels', 'files']);

/** A message as a program would send it that has one more field to say about everything. */
export function withNewFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, FREE.has(name) ? one : withNewFields(one)]);
  return { ...Object.fromEntries(fields), fromTheFuture: { deep: [{ deeper: true }] } };
}
