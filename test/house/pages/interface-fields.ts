/** The fields that an interface declares itself, in order, by the name of the interface. */
export function interfaceFields(source: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, name = '', body = ''] of source.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
    found.set(
      name,
      [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((field) => field[1]!),
    );
  }
  return found;
}
