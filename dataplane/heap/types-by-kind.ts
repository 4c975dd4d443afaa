import { kinds } from '../../contract/vocabulary/reference.ts';
import type { TypeDefinition } from './definition.ts';

/** The types of a kind, or of all kinds that have few. */
export interface TypeGroup {
  readonly title: string;
  /** By name. */
  readonly types: readonly TypeDefinition[];
}

const TITLES: Readonly<Record<string, string>> = { handler: 'Handlers', filter: 'Filters', decorator: 'Decorators' };
const OTHERS = 'Other objects';

/** The types in the order in which people look for them. */
export function typesByKind(definitions: readonly TypeDefinition[]): readonly TypeGroup[] {
  const sorted = [...definitions].sort((a, b) => (a.type < b.type ? -1 : 1));
  return [...Object.values(TITLES), OTHERS]
    .map((title) => ({ title, types: sorted.filter(({ kind }) => (TITLES[kind] ?? OTHERS) === title) }))
    .filter(({ types }) => types.length > 0);
}

/** First sentence of the summary of a type. */
export function firstSentence({ summary }: Pick<TypeDefinition, 'summary'>): string {
  return /^.*?[.](?=\s|$)/s.exec(summary)?.[0] ?? summary;
}

/** Facts about a type in addition to its summary: kind, other names, allowed authors. */
export function typeFacts({ kind, aliases, operatorOnly }: TypeDefinition): readonly string[] {
  return [
    `${kinds[kind]}.`,
    ...(aliases === undefined || aliases.length === 0 ? [] : [`Also known as ${aliases.join(', ')}.`]),
    ...(operatorOnly === undefined ? [] : [`For operators only: ${operatorOnly}.`]),
  ];
}
