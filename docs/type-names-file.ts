import type { TypeDefinition } from '../dataplane/heap/definition.ts';

/** The text of dataplane/catalogue/type-names.ts. */
export function typeNamesFile(definitions: readonly TypeDefinition[]): string {
  const names = definitions.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  return `// Written by \`npm run docs\` from the files of the types. Change those instead.

/**
 * The name of every type of object that this version knows, and every other name that it has, in the order of the
 * alphabet. Code that needs only the names does not have to load the types, which are most of the program.
 */
export const typeNames: readonly string[] = [
${names
  .sort()
  .map((name) => `  '${name}',\n`)
  .join('')}];
`;
}
