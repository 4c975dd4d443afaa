import type { TypeDefinition } from '../dataplane/heap/definition.ts';

/** So many characters have room beside the name of a group. */
const LINE = 105;

/** The text of dataplane/catalogue/type-names.ts. */
export function typeNamesFile(groups: Readonly<Record<string, readonly TypeDefinition[]>>): string {
  return `// Written by \`npm run docs\` from the files of the types. Change those instead.

/**
 * The name of every type of object that this version knows, and every other name that it has, by the groups in which
 * gateway units load them. Code that needs only the names does not have to load the types, which are most of the program.
 */
export const namesByGroup = {
${Object.entries(groups)
  .map(([group, definitions]) => `  ${group}: ${list(namesOf(definitions))},\n`)
  .join('')}} as const;

/** All of them, in the order of the alphabet. */
export const typeNames: readonly string[] = Object.values(namesByGroup).flat().sort();
`;
}

function namesOf(definitions: readonly TypeDefinition[]): readonly string[] {
  return definitions.flatMap(({ type, aliases = [] }) => [type, ...aliases]).sort();
}

/** In a line where it has room. */
function list(names: readonly string[]): string {
  const line = `[${names.map((name) => `'${name}'`).join(', ')}]`;
  return line.length < LINE ? line : `[\n${names.map((name) => `    '${name}',\n`).join('')}  ]`;
}
